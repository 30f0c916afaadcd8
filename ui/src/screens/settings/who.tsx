import { closeSession, isForAll, type Permission } from '../../api/session.ts'
import { usePage } from '../../app/context.ts'
import { Button } from '../../parts/button.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useToasts } from '../../parts/toasts.tsx'
import styles from './settings.module.css'

const MEANING: { readonly [permission in Permission]: string } = {
  read: 'look at everything',
  work: 'take work and say how it went',
  write: 'submit, cancel and move things, and steer queues',
  admin: 'make tokens and look after the ledger',
}

/** Who one is here. */
export function Who() {
  const { session } = usePage()
  const toasts = useToasts()
  const signOut = async () => {
    try {
      await closeSession()
      location.assign('/login')
    } catch (error) {
      toasts.fail(error)
    }
  }
  return (
    <Panel title="Who you are" actions={<Button onClick={() => void signOut()}>Sign out</Button>}>
      <div className={styles.stack}>
        <Facts
          facts={[
            ['Name', session.name],
            ['Role', session.role],
            ['Tenants', isForAll(session) ? 'all of them' : session.tenants.join(', ')],
          ]}
        />
        <div>
          <p className={styles.muted}>You may</p>
          <ul className={styles.may}>
            {(Object.keys(MEANING) as Permission[]).map((permission) => (
              <li key={permission} data-may={session.may.includes(permission)}>
                <span aria-hidden="true">{session.may.includes(permission) ? '✓' : '–'}</span>
                {session.may.includes(permission) ? null : <span>not: </span>}
                {MEANING[permission]}
              </li>
            ))}
          </ul>
        </div>
      </div>
    </Panel>
  )
}
