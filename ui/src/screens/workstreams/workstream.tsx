import { Screen } from '../../parts/screen.tsx'

export function WorkstreamScreen() {
  return <Screen title="WorkstreamScreen">–</Screen>
}
