// Claims. Their keys are hashes more often than not: in a table in the order of keys each lies on a page of its own, and to write
// one is to write that page. So a new one is added at the end of `new_claim`, where many share a page, and found again in memory.
// Now and then all of them are put into `claim`, in the order of their keys: then many share a page there too.
//
// Nobody ever takes a claim back. So it does no harm that one is in both tables for a while, or known longer than it is new.
import type { Claim, ClaimKey } from '../../core/decision.ts'
import type { Connection } from './connection.ts'
import { Fault } from './fault.ts'

/** New ones until they are put where they are found: whoever opens a ledger reads them, and keeps them in memory. */
export const MOST_NEW_CLAIMS = 8192

/** Those that were put where they are found are known for a while longer. */
const MOST_KNOWN = 3 * MOST_NEW_CLAIMS

/** Whoever asks for so few, as a command that submits one job, looks through all of them instead of reading them first. */
const FEW_LOOKS = 8

/** Claims that are put where they are found before others have their turn. */
const PLACED_AT_ONCE = 512

interface Newest {
  readonly id: number
  readonly key: string
  readonly owner: string
}

/** What a connection knows of the claims in `new_claim`. */
export class NewClaims {
  readonly #owners = new Map<string, string>()
  #looks = 0
  /** The last row that is known. */
  #known = 0
  /** Those that were written on this connection last. Whether they were committed shows when somebody asks again. */
  #written: string[] = []
  #last: Newest | null = null

  /** As the transaction sees it. Before it writes. */
  ownerOf(db: Connection, claim: ClaimKey): string | undefined {
    if (this.#isWorthReading(1)) {
      this.#refresh(db)
      return this.#owners.get(nameOf(claim))
    }
    return scan(db, claim)
  }

  put(db: Connection, claims: readonly Claim[]): void {
    const isKnown = this.#isWorthReading(claims.length)
    if (isKnown) this.#refresh(db)
    const find = db.prepare(FIND)
    const insert = db.prepare('INSERT INTO new_claim (tenant_id, key, owner) VALUES (?, ?, ?)')
    this.#last = null
    for (const claim of inOrder(claims)) {
      const { tenant_id, key, owner } = claim
      const name = nameOf(claim)
      const isOwned = isKnown ? this.#owners.has(name) : scan(db, claim) !== undefined
      if (isOwned || find.get(tenant_id, key) !== undefined) throw lost(key)
      const { lastInsertRowid } = insert.run(tenant_id, key, owner)
      if (!isKnown) continue
      this.#owners.set(name, owner)
      this.#written.push(name)
      this.#last = { id: Number(lastInsertRowid), key, owner }
    }
  }

  #isWorthReading(looks: number): boolean {
    this.#looks += looks
    return this.#looks > FEW_LOOKS
  }

  #refresh(db: Connection): void {
    const newest = db.get<Newest>('SELECT id, key, owner FROM new_claim ORDER BY id DESC LIMIT 1')
    const id = newest?.id ?? 0
    if (newest === undefined || !this.#isLast(newest)) {
      for (const name of this.#written) this.#owners.delete(name)
      if (id !== this.#known) this.#read(db)
    }
    this.#written = []
    this.#last = null
    this.#known = id
    if (this.#owners.size <= MOST_KNOWN || this.#owners.size <= 2 * countNewClaims(db)) return
    this.#owners.clear()
    this.#known = 0
    this.#read(db)
    this.#known = id
  }

  /** Its last claim is the newest one: so all of it was committed, and nothing by others since. */
  #isLast({ id, key, owner }: Newest): boolean {
    const last = this.#last
    return id === last?.id && key === last.key && owner === last.owner
  }

  #read(db: Connection): void {
    const sql = 'SELECT tenant_id, key, owner FROM new_claim WHERE id > ?'
    for (const claim of db.all<Claim>(sql, this.#known)) this.#owners.set(nameOf(claim), claim.owner)
  }
}

const FIND = 'SELECT owner FROM claim WHERE tenant_id = ? AND key = ?'

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
  const sql = `${some('claim')} UNION ${some('new_claim')} ORDER BY tenant_id, key LIMIT ?3`
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
  const sql = 'SELECT tenant_id, key, owner FROM new_claim WHERE id <= ? ORDER BY tenant_id, key'
  const claims = db.all<Claim>(sql, last)
  for (let at = 0; at < claims.length; at += PLACED_AT_ONCE) {
    await transaction(() => place(db, claims.slice(at, at + PLACED_AT_ONCE)))
  }
  // The newest stays: the next one comes after it, so that whoever knows some knows which ones are new.
  await transaction(() => void db.run('DELETE FROM new_claim WHERE id < ?', last))
}

function place(db: Connection, claims: readonly Claim[]): void {
  const insert = db.prepare('INSERT OR IGNORE INTO claim (tenant_id, key, owner) VALUES (?, ?, ?)')
  for (const { tenant_id, key, owner } of claims) insert.run(tenant_id, key, owner)
}

/** As they lie in the table that is looked through. */
function inOrder(claims: readonly Claim[]): readonly Claim[] {
  return claims.length === 1 ? claims : claims.toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

function scan(db: Connection, { tenant_id, key }: ClaimKey): string | undefined {
  const sql = 'SELECT owner FROM new_claim WHERE tenant_id = ? AND key = ?'
  return db.get<{ owner: string }>(sql, tenant_id, key)?.owner
}

function nameOf({ tenant_id, key }: ClaimKey): string {
  return `${tenant_id}\n${key}`
}

function lost(key: string): Fault {
  return new Fault('conflict', `the claim ${key}`)
}
