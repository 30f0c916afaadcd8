import { Screen } from '../../parts/screen.tsx'

export function LogsScreen() {
  return <Screen title="LogsScreen">–</Screen>
}
