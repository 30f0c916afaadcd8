import type { Claim, ClaimKey } from '../../core/decision.ts'
import { idempotencyClaim } from '../../core/idempotency.ts'
import type { Birth } from '../../core/job/birth.ts'
import type { Connection, Value } from './connection.ts'
import { Fault } from './fault.ts'
import { ManyRows } from './many-rows.ts'

const FIND = 'SELECT owner FROM claim WHERE tenant_id = ? AND key = ?'
const FIND_ANY = `
  SELECT claim.key FROM json_each(?2) AS each CROSS JOIN claim ON claim.tenant_id = ?1 AND claim.key = each.value LIMIT 1`

const FIND_ANY_OF = `
  SELECT claim.key FROM json_each(?2) AS each CROSS JOIN claim ON claim.tenant_id = ?1 AND claim.key = ?3 || each.value
  LIMIT 1`

const PUT = new ManyRows(
  { insert: 'INSERT INTO claim (tenant_id, key, owner)', otherwise: 'ON CONFLICT DO NOTHING' },
  { common: 1, own: 2 },
)

export function loadClaim(db: Connection, { tenant_id, key }: ClaimKey): Claim | undefined {
  const owner = db.get<{ owner: string }>(FIND, tenant_id, key)?.owner
  return owner === undefined ? undefined : { tenant_id, key, owner }
}

/** Nobody has them. Whoever puts many puts them in their order: their keys are hashes, and each would be a page of its own. */
export function putClaims(db: Connection, claims: readonly Claim[]): void {
  const sorted = claims.length > 1 ? [...claims].sort(byKey) : claims
  for (let at = 0; at < sorted.length; ) {
    const { tenant_id } = sorted[at] as Claim
    const own: Value[] = []
    for (; at < sorted.length && sorted[at]?.tenant_id === tenant_id; at++) {
      const { key, owner } = sorted[at] as Claim
      own.push(key, owner)
    }
    const { count } = PUT.insert(db, [tenant_id], own)
    if (2 * count !== own.length) throw new Fault('conflict', `a claim of ${tenant_id}`)
  }
}

/** The key of one of them that somebody has. */
export function placedClaim(db: Connection, claims: readonly Claim[]): string | undefined {
  for (let at = 0; at < claims.length; ) {
    const { tenant_id } = claims[at] as Claim
    const keys: string[] = []
    for (; at < claims.length && claims[at]?.tenant_id === tenant_id; at++)
      keys.push((claims[at] as Claim).key)
    const placed = placedKey(db, tenant_id, keys)
    if (placed !== undefined) return placed
  }
  return undefined
}

/** The same of one tenant's. */
function placedKey(db: Connection, tenant_id: string, keys: readonly string[]): string | undefined {
  const [key] = keys
  if (key === undefined) return undefined
  if (keys.length > 1) return db.get<{ key: string }>(FIND_ANY, tenant_id, JSON.stringify(keys))?.key
  return db.get(FIND, tenant_id, key) === undefined ? undefined : key
}

/** The same of what these jobs claim, all of one tenant. */
export function placedBirth(db: Connection, births: readonly Birth[]): string | undefined {
  const { tenant_id } = births[0] as Birth
  const hashes: string[] = []
  for (const { claimTail } of births) if (claimTail !== undefined) hashes.push(claimTail)
  if (hashes.length < births.length)
    return placedKey(
      db,
      tenant_id,
      births.map(({ claim }) => claim),
    )
  // Nothing but hashes: they stand for themselves, and need not be put together with what comes before them here.
  return db.get<{ key: string }>(
    FIND_ANY_OF,
    tenant_id,
    `["${hashes.join('","')}"]`,
    idempotencyClaim(null, ''),
  )?.key
}

/** In order of their keys. */
export function claimsAfter(db: Connection, after: ClaimKey | null, limit: number): readonly Claim[] {
  const beyond = after === null ? 'true' : '(tenant_id, key) > (?1, ?2)'
  const sql = `SELECT tenant_id, key, owner FROM claim WHERE ${beyond} ORDER BY tenant_id, key LIMIT ?3`
  return db.all<Claim>(sql, after?.tenant_id ?? null, after?.key ?? null, limit)
}

function byKey(a: Claim, b: Claim): number {
  return order(a.tenant_id, b.tenant_id) || order(a.key, b.key)
}

function order(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
