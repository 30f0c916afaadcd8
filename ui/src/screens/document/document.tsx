import { Screen } from '../../parts/screen.tsx'

export function DocumentScreen() {
  return <Screen title="DocumentScreen">–</Screen>
}
