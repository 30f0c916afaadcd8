import { Screen } from '../../parts/screen.tsx'

export function RunScreen() {
  return <Screen title="RunScreen">–</Screen>
}
