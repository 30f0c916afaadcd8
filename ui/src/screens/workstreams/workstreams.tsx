import { Screen } from '../../parts/screen.tsx'

export function WorkstreamsScreen() {
  return <Screen title="WorkstreamsScreen">–</Screen>
}
