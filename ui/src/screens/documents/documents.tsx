import { Screen } from '../../parts/screen.tsx'

export function DocumentsScreen() {
  return <Screen title="DocumentsScreen">–</Screen>
}
