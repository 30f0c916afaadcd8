import { isForAll } from '../../api/session.ts'
import { usePage } from '../../app/context.ts'
import { Screen } from '../../parts/screen.tsx'
import { Appearance } from './appearance.tsx'
import { Links } from './links.tsx'
import { Maintenance } from './maintenance.tsx'
import styles from './settings.module.css'
import { Tokens } from './tokens.tsx'
import { Who } from './who.tsx'

export function SettingsScreen() {
  const { session } = usePage()
  const isAdmin = session.has_admin && session.may.includes('admin') && isForAll(session)
  return (
    <Screen title="Settings">
      <div className={styles.pair}>
        <Appearance />
        <Who />
      </div>
      <div className={styles.pair}>
        <Links />
        {isAdmin ? <Maintenance /> : null}
      </div>
      {isAdmin ? <Tokens /> : null}
    </Screen>
  )
}
