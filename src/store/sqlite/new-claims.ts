// Claims. Their keys are hashes more often than not: in a table in the order of keys each lies on a page of its own, and to write
// one is to write that page. So a new one is added at the end of `new_claim`, where many share a page, and found again in memory.
// Now and then all of them are put into `claim`, in the order of their keys: then many share a page there too.
//
// Nobody ever takes a claim back. So it does no harm that one is in both tables for a while, or known longer than it is new.
import type { Claim, ClaimKey } from '../../core/decision.ts'
import { TwoKeys } from '../live/two-keys.ts'
import type { Connection, Value } from './connection.ts'
import { Fault } from './fault.ts'
import { leftClaims } from './left-in-tail.ts'
import { ManyRows } from './many-rows.ts'

/** New ones until they are put where they are found: whoever opens a ledger reads them, and keeps them in memory. */
export const MOST_NEW_CLAIMS = 8192

/** Those that were put where they are found are known for a while longer. */
const MOST_KNOWN = 3 * MOST_NEW_CLAIMS

/** Whoever asks for so few, as a command that submits one job, looks through all of them instead of reading them first. */
const FEW_LOOKS = 8

/** Claims that are put where they are found before others have their turn. */
const PLACED_AT_ONCE = 512

/** What a connection knows of the claims in `new_claim` and in the tail. */
export class NewClaims {
  #owners = new TwoKeys<string>()
  #size = 0
  #looks = 0
  /** The last row that is known, and the one that was written last. */
  #known = 0
  #last = 0
  /** As of when the others' are known. */
  #version: number | null = null
  /** Those that were written in a transaction that was not committed, as far as is known. */
  #written: Claim[] = []

  /** As the transaction sees it. Before it writes. */
  ownerOf(db: Connection, claim: ClaimKey): string | undefined {
    if (this.#isWorthReading(1)) {
      this.#refresh(db, db.dataVersion())
      return this.#owners.get(claim.tenant_id, claim.key)
    }
    return scan(db, claim)
  }

  /** Adds them to the table. Once in a transaction. */
  put(db: Connection, claims: readonly Claim[]): void {
    this.check(db, claims)
    for (let at = 0; at < claims.length; ) {
      const { tenant_id } = claims[at] as Claim
      const own: Value[] = []
      for (; at < claims.length && claims[at]?.tenant_id === tenant_id; at++) {
        const { key, owner } = claims[at] as Claim
        own.push(key, owner)
      }
      this.#last = PUT.insert(db, [tenant_id], own).lastId
    }
  }

  /** Nobody has them. Whoever asks is about to write them, in this transaction. */
  check(db: Connection, claims: readonly Claim[]): void {
    const isKnown = this.#isWorthReading(claims.length)
    if (isKnown) this.#refresh(db, db.versionWithin)
    this.#last = this.#known
    const placed = placedOf(db, claims)
    if (placed !== undefined) throw lost(placed)
    const own: Claim[] = []
    for (const claim of claims) {
      const { tenant_id, key, owner } = claim
      const known = isKnown ? this.#owners.get(tenant_id, key) : scan(db, claim)
      const isOwned = known !== undefined || own.some((one) => one.key === key && one.tenant_id === tenant_id)
      if (isOwned) throw lost(key)
      if (!isKnown) {
        own.push(claim)
        continue
      }
      this.#owners.set(tenant_id, key, owner)
      this.#size++
      this.#written.push(claim)
    }
  }

  /** What was written is there for good. */
  committed(): void {
    if (this.#written.length === 0) return
    this.#written = []
    this.#known = this.#last
  }

  #isWorthReading(looks: number): boolean {
    this.#looks += looks
    return this.#looks > FEW_LOOKS
  }

  #refresh(db: Connection, version: number): void {
    if (version === this.#version && this.#written.length === 0) return
    for (const { tenant_id, key } of this.#written) this.#owners.delete(tenant_id, key)
    this.#size -= this.#written.length
    this.#written = []
    this.#version = version
    this.#read(db)
    if (this.#size <= MOST_KNOWN || this.#size <= 2 * countNewClaims(db)) return
    this.#owners = new TwoKeys()
    this.#size = 0
    this.#known = 0
    this.#read(db)
  }

  #read(db: Connection): void {
    const sql = 'SELECT id, tenant_id, key, owner FROM new_claim WHERE id > ? ORDER BY id'
    for (const claim of db.all<Claim & { id: number }>(sql, this.#known)) {
      this.#add(claim)
      this.#known = claim.id
    }
    for (const [tenant_id, key, owner] of leftClaims(db)) this.#add({ tenant_id, key, owner })
  }

  #add({ tenant_id, key, owner }: Claim): void {
    if (this.#owners.get(tenant_id, key) === undefined) this.#size++
    this.#owners.set(tenant_id, key, owner)
  }
}

const PUT = new ManyRows(
  { insert: 'INSERT INTO new_claim (tenant_id, key, owner)', otherwise: '' },
  { common: 1, own: 2 },
)

const FIND = 'SELECT owner FROM claim WHERE tenant_id = ? AND key = ?'
const FIND_ANY = `
  SELECT claim.key FROM json_each(?2) AS each CROSS JOIN claim ON claim.tenant_id = ?1 AND claim.key = each.value LIMIT 1`

export function loadClaim(db: Connection, claim: ClaimKey): Claim | undefined {
  const { tenant_id, key } = claim
  const owner = db.get<{ owner: string }>(FIND, tenant_id, key)?.owner ?? db.newClaims.ownerOf(db, claim)
  return owner === undefined ? undefined : { tenant_id, key, owner }
}

/** In order of their keys. */
export function claimsAfter(db: Connection, after: ClaimKey | null, limit: number): readonly Claim[] {
  const beyond = after === null ? 'true' : '(tenant_id, key) > (?1, ?2)'
  const some = (table: string) =>
    `SELECT * FROM (SELECT tenant_id, key, owner FROM ${table} WHERE ${beyond} ORDER BY tenant_id, key LIMIT ?3)`
  const sql = `${some('claim')} UNION ${some('new_claim')} UNION ${some(LEFT)} ORDER BY tenant_id, key LIMIT ?3`
  return db.all<Claim>(sql, after?.tenant_id ?? null, after?.key ?? null, limit)
}

/** How many there are, more or less: rows are added one after the other. */
export function countNewClaims(db: Connection): number {
  return db.get<{ n: number }>('SELECT coalesce(max(id) - min(id), 0) AS n FROM new_claim')?.n ?? 0
}

/** Puts the new ones where they are found, a few in each transaction. What is not done when one fails is done another time. */
export async function placeClaims(
  db: Connection,
  transaction: (run: () => void) => Promise<void>,
): Promise<void> {
  const last = db.get<{ id: number }>('SELECT max(id) AS id FROM new_claim')?.id ?? null
  if (last === null) return
  const sql = 'SELECT id FROM new_claim WHERE id <= ? ORDER BY tenant_id, key'
  const ids = db.all<{ id: number }>(sql, last).map(({ id }) => id)
  for (let at = 0; at < ids.length; at += PLACED_AT_ONCE) {
    await transaction(() => place(db, ids.slice(at, at + PLACED_AT_ONCE)))
  }
  // The newest stays: the next one comes after it, so that whoever knows some knows which ones are new.
  await transaction(() => void db.run('DELETE FROM new_claim WHERE id < ?', last))
}

/** One by one in their order, and never read: there are many, and nobody but the database has to see them. */
function place(db: Connection, ids: readonly number[]): void {
  const sql = `
    INSERT OR IGNORE INTO claim (tenant_id, key, owner)
    SELECT fresh.tenant_id, fresh.key, fresh.owner
    FROM json_each(?) AS each CROSS JOIN new_claim AS fresh ON fresh.id = each.value`
  db.run(sql, JSON.stringify(ids))
}

/** The key of one of them that is where it is found. */
function placedOf(db: Connection, claims: readonly Claim[]): string | undefined {
  for (let at = 0; at < claims.length; ) {
    const { tenant_id, key } = claims[at] as Claim
    const keys: string[] = []
    for (; at < claims.length && claims[at]?.tenant_id === tenant_id; at++)
      keys.push((claims[at] as Claim).key)
    if (keys.length > 1) {
      const found = db.get<{ key: string }>(FIND_ANY, tenant_id, JSON.stringify(keys))
      if (found !== undefined) return found.key
    } else if (db.get(FIND, tenant_id, key) !== undefined) return key
  }
  return undefined
}

/** Those in the tail. */
const LEFT = `(
  SELECT each.value ->> 0 AS tenant_id, each.value ->> 1 AS key, each.value ->> 2 AS owner
  FROM tail, json_each(tail.claims) AS each)`

function scan(db: Connection, { tenant_id, key }: ClaimKey): string | undefined {
  const of = (table: string) => `SELECT owner FROM ${table} WHERE tenant_id = ?1 AND key = ?2`
  const sql = `${of('new_claim')} UNION ALL ${of(LEFT)} LIMIT 1`
  return db.get<{ owner: string }>(sql, tenant_id, key)?.owner
}

function lost(key: string): Fault {
  return new Fault('conflict', `the claim ${key}`)
}
