import { Screen } from '../../parts/screen.tsx'

export function Dashboard() {
  return <Screen title="Dashboard">–</Screen>
}
