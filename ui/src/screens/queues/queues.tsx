import { Screen } from '../../parts/screen.tsx'

export function QueuesScreen() {
  return <Screen title="QueuesScreen">–</Screen>
}
