import { Screen } from '../../parts/screen.tsx'

export function JobScreen() {
  return <Screen title="JobScreen">–</Screen>
}
