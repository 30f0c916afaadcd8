import { useState } from 'react'
import { isForAll } from '../../api/session.ts'
import { makeLink, type OneTimeLink, type Role } from '../../api/tokens.ts'
import { usePage } from '../../app/context.ts'
import { Button } from '../../parts/button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useToasts } from '../../parts/toasts.tsx'
import { When } from '../../parts/when.tsx'
import { Once } from './once.tsx'
import styles from './settings.module.css'
import { tenantsIn } from './tenants-text.ts'

/** A way in for somebody else, who may do as much or less. */
export function Links() {
  const { session } = usePage()
  const toasts = useToasts()
  const [role, setRole] = useState<Role>('viewer')
  const [tenants, setTenants] = useState(isForAll(session) ? '' : session.tenants.join(', '))
  const [link, setLink] = useState<OneTimeLink | null>(null)
  const make = async () => {
    try {
      setLink(await makeLink({ role, tenants: tenantsIn(tenants) }))
    } catch (error) {
      toasts.fail(error)
    }
  }
  return (
    <Panel title="Let somebody in">
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          void make()
        }}
      >
        <p className={styles.muted}>A link opens the page once, for whoever has it, in your name.</p>
        <RoleField value={role} roles={session.may_give} onChange={setRole} />
        <label className={styles.field}>
          Tenants
          <input
            value={tenants}
            placeholder={isForAll(session) ? 'all of them' : ''}
            autoComplete="off"
            onChange={({ target }) => setTenants(target.value)}
          />
        </label>
        <Button look="primary" onClick={() => void make()}>
          Make a link
        </Button>
      </form>
      {link === null ? null : (
        <Once secret={link.url} what="link">
          Good once, if it is used in time: it expires <When at={link.expires_at} />.
        </Once>
      )}
    </Panel>
  )
}

interface RoleFieldProps {
  readonly value: Role
  readonly roles: readonly Role[]
  readonly onChange: (role: Role) => void
}

export function RoleField({ value, roles, onChange }: RoleFieldProps) {
  return (
    <label className={styles.field}>
      Role
      <select value={value} onChange={({ target }) => onChange(target.value as Role)}>
        {roles.map((role) => (
          <option key={role}>{role}</option>
        ))}
      </select>
    </label>
  )
}
