// At a million rows in every large table, nothing that is asked all the time goes through a table from end to end, and what
// it takes has to do with what it answers. What is explained is what the driver asks, statement by statement.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AloneKind } from '../../src/core/aggregate.ts'
import { chunks } from '../../src/store/sqlite/chunks.ts'
import { chunksAbout } from '../../src/store/sqlite/chunks-about.ts'
import { Connection, type Value } from '../../src/store/sqlite/connection.ts'
import { findJobs } from '../../src/store/sqlite/find-jobs.ts'
import { findOutbox } from '../../src/store/sqlite/find-outbox.ts'
import { findRecords } from '../../src/store/sqlite/find-records.ts'
import { findSteps } from '../../src/store/sqlite/find-steps.ts'
import { openSqliteTables } from '../../src/store/sqlite/open-sqlite.ts'
import { configure } from '../../src/store/sqlite/prepare-database.ts'
import { nextDue, sketchesOf } from '../../src/store/sqlite/small-reads.ts'
import { hasWork, heads, select } from '../../src/store/sqlite/take.ts'
import { realWorld } from '../../src/world/world.ts'
import { quickFolder } from '../fixtures/quick-folder.ts'
import { FIRST_AT } from '../tables/million.ts'
import {
  AUDIT_QUESTIONS,
  FIND_QUESTIONS,
  type FindQuestion,
  PAGE,
  SKETCH_TIMES,
} from '../tables/questions.ts'
import { fillWithAMillion } from './sqlite-million-rows.ts'

/** Keeps what it is asked. */
class HeardConnection extends Connection {
  readonly heard = new Set<string>()
  rows = 0

  override all<T>(sql: string, ...values: readonly Value[]): T[] {
    this.heard.add(sql)
    const rows = super.all<T>(sql, ...values)
    this.rows += rows.length
    return rows
  }

  override get<T>(sql: string, ...values: readonly Value[]): T | undefined {
    this.heard.add(sql)
    this.rows++
    return super.get<T>(sql, ...values)
  }
}

const folder = quickFolder('waybill-plans-')
const path = join(folder, 'ledger.db')
let db: HeardConnection
/** How long it takes to go through the jobs from end to end. */
let scanMs: number

beforeAll(async () => {
  await (await openSqliteTables(path, realWorld)).close()
  fillWithAMillion(path)
  db = new HeardConnection(path, { readOnly: true, busyMs: 1000 })
  configure(db, 32 * 1024)
  scanMs = fastest(() => db.get('SELECT count(*) FROM job NOT INDEXED WHERE version > 5'))
}, 240_000)

afterAll(() => {
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Of several times: others may have been in the way. */
function fastest(run: () => void): number {
  return Math.min(
    ...Array.from({ length: 3 }, () => {
      const began = performance.now()
      run()
      return performance.now() - began
    }),
  )
}

/** Small tables: as many rows as there are tenants and states. */
const SMALL = /^SCAN (state_count|refusal|json_each|owed|head|first|wanted|\(subquery)/

/** A table that is its own index, along which the first is found. */
const IN_ORDER = /^SCAN due$/

async function mustBeFew(ask: () => unknown, effort: 'page' | 'open'): Promise<void> {
  db.heard.clear()
  db.rows = 0
  await ask()
  expect(db.heard.size).toBeGreaterThan(0)
  expect(db.rows).toBeLessThan(effort === 'page' ? 20 * PAGE : 20_500)
  for (const sql of [...db.heard]) {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as unknown as readonly {
      readonly detail: string
    }[]
    const scans = plan
      .map(({ detail }) => detail)
      .filter((detail) => /^SCAN /.test(detail) && !SMALL.test(detail) && !IN_ORDER.test(detail))
    // Along an index from its beginning is the order asked for, if it ends with the page.
    expect(scans.filter((detail) => !/USING (COVERING )?INDEX/.test(detail))).toEqual([])
  }
}

function answer({ kind, find }: FindQuestion): Promise<readonly unknown[]> | readonly unknown[] {
  switch (kind) {
    case 'job':
      return findJobs(db, find)
    case 'outbox':
      return findOutbox(db, find)
    case 'step':
      return findSteps(db, find, async () => {})
    default:
      return findRecords(db, kind as AloneKind, find)
  }
}

async function mustBeQuick(ask: () => unknown): Promise<void> {
  let ms = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 5 && ms > scanMs / 4; tries++) {
    const began = performance.now()
    await ask()
    ms = Math.min(ms, performance.now() - began)
  }
  expect(ms).toBeLessThan(scanMs / 4)
}

describe('find', () => {
  it.each(FIND_QUESTIONS)('$name', async (question) => {
    await mustBeFew(() => answer(question), question.effort)
    // All that is open has to be looked at, which is no small part of the jobs.
    if (question.effort === 'page') await mustBeQuick(() => answer(question))
  })
})

describe('audit', () => {
  it.each(AUDIT_QUESTIONS)('$name', async ({ about, select, found }) => {
    const ask = async () => {
      const ids = about === null ? undefined : chunksAbout(db, about)
      return chunks(db, { ...select, ids }, async () => {})
    }
    await mustBeFew(ask, 'page')
    await mustBeQuick(ask)
    expect((await ask()).length).toBeGreaterThanOrEqual(Math.min(found, 1))
  })

  it('durations of a time', async () => {
    const ask = () => sketchesOf(db, { ...SKETCH_TIMES, after: 0, limit: 1000 })
    expect(ask()).toHaveLength(500)
    await mustBeFew(ask, 'page')
    await mustBeQuick(ask)
  })
})

describe('work', () => {
  const ready = { queues: ['q1', 'q2', 'none'], perGroup: 20 }
  const soon = { what: 'due', now: FIRST_AT + 50_000, limit: PAGE } as const
  const late = { what: 'due', now: FIRST_AT * 2, limit: PAGE } as const
  const all = {
    'what is ready': () => heads(db, ready),
    'whether something is ready': () => hasWork(db, { what: 'ready', ...ready }),
    'what is ready of some tenants': () => heads(db, { ...ready, tenants: ['t1', 't2', 'none'] }),
    'taking what is due': () => select(db, late),
    'taking what is due, when little is': () => select(db, soon),
    'taking what was signalled': () => select(db, { what: 'signalled', limit: PAGE }),
    'when something is due': () => nextDue(db),
  }

  it.each(Object.keys(all) as readonly (keyof typeof all)[])('%s', async (name) => {
    await mustBeFew(all[name], 'page')
    await mustBeQuick(all[name])
  })
})
