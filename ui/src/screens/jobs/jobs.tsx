import { Screen } from '../../parts/screen.tsx'

export function JobsScreen() {
  return <Screen title="JobsScreen">–</Screen>
}
