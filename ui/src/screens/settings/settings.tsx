import { Screen } from '../../parts/screen.tsx'

export function SettingsScreen() {
  return <Screen title="SettingsScreen">–</Screen>
}
