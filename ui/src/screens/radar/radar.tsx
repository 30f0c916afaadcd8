import { Screen } from '../../parts/screen.tsx'

export function RadarScreen() {
  return <Screen title="RadarScreen">–</Screen>
}
