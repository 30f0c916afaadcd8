import { Screen } from '../../parts/screen.tsx'

export function RunsScreen() {
  return <Screen title="RunsScreen">–</Screen>
}
