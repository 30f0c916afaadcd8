import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type MintedToken, makeToken, type NewToken, type Role, tokensQuery } from '../../api/tokens.ts'
import { usePage } from '../../app/context.ts'
import { Button } from '../../parts/button.tsx'
import { useToasts } from '../../parts/toasts.tsx'
import { RoleField } from './links.tsx'
import { Once } from './once.tsx'
import styles from './settings.module.css'
import { tenantsIn } from './tenants-text.ts'

const EXPIRIES = [
  { value: '1d', title: 'In a day' },
  { value: '7d', title: 'In a week' },
  { value: '90d', title: 'In 90 days' },
  { value: '365d', title: 'In a year' },
  { value: '', title: 'Never' },
]

/** The token itself is seen here, and never again. */
export function NewTokenForm() {
  const { session } = usePage()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('worker')
  const [tenants, setTenants] = useState('')
  const [expires, setExpires] = useState('90d')
  const [made, setMade] = useState<MintedToken | null>(null)
  const make = useMake((minted) => {
    setMade(minted)
    setName('')
  })
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    const expiry = expires === '' ? null : { expires_in: expires as NonNullable<NewToken['expires_in']> }
    void make({ name: name.trim(), role, tenants: tenantsIn(tenants), ...expiry })
  }
  return (
    <div className={styles.making}>
      <form className={styles.form} onSubmit={submit}>
        <label className={styles.field}>
          For whom
          <input
            value={name}
            required
            placeholder="ocr-worker"
            autoComplete="off"
            onChange={({ target }) => setName(target.value)}
          />
        </label>
        <RoleField value={role} roles={session.may_give} onChange={setRole} />
        <label className={styles.field}>
          Tenants
          <input
            value={tenants}
            placeholder="all of them"
            autoComplete="off"
            onChange={({ target }) => setTenants(target.value)}
          />
        </label>
        <label className={styles.field}>
          Expires
          <select value={expires} onChange={({ target }) => setExpires(target.value)}>
            {EXPIRIES.map(({ value, title }) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" hidden>
          Make it
        </button>
        <Button
          look="primary"
          whyNot={name.trim() === '' ? 'Say first for whom it is' : null}
          onClick={() => submit()}
        >
          Make it
        </Button>
      </form>
      {made === null ? null : (
        <Once secret={made.token} what="token">
          The token of <strong>{made.record.name}</strong> is shown only now. Keep it where secrets are kept.
        </Once>
      )}
    </div>
  )
}

function useMake(onMade: (minted: MintedToken) => void) {
  const toasts = useToasts()
  const client = useQueryClient()
  return async (token: NewToken) => {
    try {
      onMade(await makeToken(token))
      toasts.say(`A token for ${token.name} is made`)
    } catch (error) {
      toasts.fail(error)
    }
    await client.invalidateQueries({ queryKey: tokensQuery.queryKey })
  }
}
