import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { setOf, wantedOf } from '../../../test/tables/sample-set.ts'
import type { Claim } from '../../core/decision.ts'
import { realWorld } from '../../world/world.ts'
import { Conflict } from '../tables/tables.ts'
import { Connection } from './connection.ts'
import { sqliteScript } from './migrations.ts'
import { claimsAfter, countNewClaims, loadClaim, MOST_NEW_CLAIMS, placeClaims } from './new-claims.ts'
import { openSqliteTables } from './open-sqlite.ts'

let folder: string
let path: string
let connections: Connection[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-claims-'))
  path = join(folder, 'ledger.db')
  connections = []
})

afterEach(async () => {
  for (const db of connections) db.close()
  await rm(folder, { recursive: true, force: true })
})

async function connect(): Promise<Connection> {
  if (connections.length === 0) await (await openSqliteTables(path, realWorld)).close()
  const db = new Connection(path, { readOnly: false, busyMs: 1000 })
  connections.push(db)
  return db
}

const claimOf = (nth: number, owner = `owner-${nth}`): Claim => {
  return { tenant_id: 't', key: `key-${(nth * 7919) % 10_007}`, owner }
}
const claimsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => claimOf(from + index))

function write(db: Connection, claims: readonly Claim[], end = 'COMMIT'): void {
  db.begin()
  try {
    db.newClaims.put(db, claims)
    if (end === 'COMMIT') db.commit()
    else db.run(end)
  } finally {
    if (db.isWithin) db.run('ROLLBACK')
  }
}

async function place(db: Connection): Promise<void> {
  await placeClaims(db, async (run) => {
    db.begin()
    run()
    db.commit()
  })
}

/** Few are looked for in the table, many in memory. */
describe.each([1, 40])('claims, %i at a time', (count) => {
  it('are owned by whoever was first, whatever table they are in', async () => {
    const db = await connect()
    write(db, claimsOf(0, count))
    write(db, claimsOf(100, count))
    for (const nth of [0, 100]) {
      expect(() => write(db, [claimOf(nth, 'late')])).toThrow('the claim')
      expect(loadClaim(db, claimOf(nth))).toEqual(claimOf(nth))
    }
    expect(loadClaim(db, claimOf(200))).toBeUndefined()
    await place(db)
    write(db, claimsOf(200, count))
    for (const nth of [0, 100, 200]) {
      expect(() => write(db, [claimOf(nth, 'late')])).toThrow('the claim')
      expect(loadClaim(db, claimOf(nth))).toEqual(claimOf(nth))
    }
  })

  it('are owned by nobody when they were rolled back, also if somebody else has them since', async () => {
    const db = await connect()
    const other = await connect()
    write(db, claimsOf(0, count))
    write(db, claimsOf(100, count), 'ROLLBACK')
    expect(loadClaim(db, claimOf(100))).toBeUndefined()
    write(db, claimsOf(100, count), 'ROLLBACK')
    write(other, [claimOf(100, 'other'), ...claimsOf(300, count - 1)])
    expect(loadClaim(db, claimOf(100))).toEqual(claimOf(100, 'other'))
    expect(() => write(db, claimsOf(100, count))).toThrow('the claim')
  })

  it('are known to all, whoever put them where they are found', async () => {
    const db = await connect()
    const other = await connect()
    write(db, claimsOf(0, count))
    write(other, claimsOf(100, count))
    await place(other)
    write(db, claimsOf(200, count))
    await place(db)
    for (const one of [db, other]) {
      for (const nth of [0, 100, 200]) {
        expect(() => write(one, [claimOf(nth, 'late')])).toThrow('the claim')
        expect(loadClaim(one, claimOf(nth))).toEqual(claimOf(nth))
      }
      write(one, claimsOf(one === db ? 300 : 400, count))
    }
  })

  it('are refused when there are two of a kind', async () => {
    const db = await connect()
    expect(() => write(db, [...claimsOf(0, count), claimOf(0, 'again')])).toThrow('the claim')
    expect(loadClaim(db, claimOf(0))).toBeUndefined()
  })
})

it('has them in the order of their keys, page by page, from both tables', async () => {
  const db = await connect()
  const all = claimsOf(0, 50)
  write(db, all.slice(0, 20))
  await place(db)
  write(db, all.slice(20))
  const found: Claim[] = []
  for (let after: Claim | null = null; ; after = found.at(-1) ?? null) {
    const page = claimsAfter(db, after, 7)
    found.push(...page)
    if (page.length < 7) break
  }
  expect(found).toEqual(all.toSorted((a, b) => (a.key < b.key ? -1 : 1)))
})

it('puts them where they are found when there are many', async () => {
  const tables = await openSqliteTables(path, realWorld)
  const all = Array.from({ length: MOST_NEW_CLAIMS + 10 }, (_, nth) => ({
    tenant_id: 't',
    key: `${(nth * 7919) % 100_003}`,
    owner: `${nth}`,
  }))
  for (let at = 0; at < all.length; at += 1000) {
    await tables.write(setOf({ claims: all.slice(at, at + 1000) }))
  }
  await tables.close()
  const db = await connect()
  expect(countNewClaims(db)).toBeLessThan(1000)
  const again = await openSqliteTables(path, realWorld)
  for (const claim of [all[0], all.at(-1)] as Claim[]) {
    expect((await again.load(wantedOf({ claims: [claim] }))).claims).toEqual([claim])
    await expect(again.write(setOf({ claims: [{ ...claim, owner: 'late' }] }))).rejects.toThrow(Conflict)
  }
  await again.maintain(null)
  expect(countNewClaims(db)).toBe(0)
  await again.close()
})

it('of a ledger of the version before are claims still', async () => {
  const before = new Connection(path, { readOnly: false, busyMs: 1000 })
  const script = sqliteScript(0)
  before.exec(`${script.slice(0, script.indexOf('-- 3:'))} PRAGMA user_version = 2; COMMIT;`)
  before.run('INSERT INTO claim VALUES (?, ?, ?)', 't', 'old', 'o')
  before.close()
  const tables = await openSqliteTables(path, realWorld)
  const old = { tenant_id: 't', key: 'old', owner: 'o' }
  expect((await tables.load(wantedOf({ claims: [old] }))).claims).toEqual([old])
  await expect(tables.write(setOf({ claims: [{ ...old, owner: 'late' }] }))).rejects.toThrow(Conflict)
  expect(await tables.claims(null, 10)).toEqual([old])
  await tables.close()
})
