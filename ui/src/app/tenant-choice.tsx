// Whose records are shown. Who is for one tenant has no choice, and sees none.
import { useQuery } from '@tanstack/react-query'
import { ALL_TENANTS, isForAll } from '../api/session.ts'
import { tenantsQuery } from '../api/tenants.ts'
import { usePage } from './context.ts'
import styles from './tenant-choice.module.css'
import { useUrlState } from './url-state.ts'

export function TenantChoice() {
  const { session, tenant } = usePage()
  const [, setUrl] = useUrlState()
  const isAll = isForAll(session)
  const known = useQuery({ ...tenantsQuery, enabled: isAll })
  const named = isAll ? (known.data?.items ?? []).map(({ tenant_id }) => tenant_id) : session.tenants
  const choices = [...new Set([...(isAll ? [ALL_TENANTS] : []), ...named, tenant])]
  if (choices.length < 2) return <span className={styles.only}>{tenant}</span>
  return (
    <label className={styles.choice}>
      <span>Tenant</span>
      <select value={tenant} onChange={({ target }) => setUrl({ tenant: target.value })}>
        {choices.map((one) => (
          <option key={one} value={one}>
            {one === ALL_TENANTS ? 'all tenants' : one}
          </option>
        ))}
      </select>
    </label>
  )
}
