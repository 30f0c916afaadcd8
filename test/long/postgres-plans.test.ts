// At a million rows in every large table, nothing that is asked all the time goes through a table from end to end, and what
// it looks at has to do with what it answers. What is explained is what the driver asks.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AloneKind } from '../../src/core/aggregate.ts'
import { FindQueries } from '../../src/store/postgres/find.ts'
import { findSteps } from '../../src/store/postgres/find-steps.ts'
import type { Query } from '../../src/store/postgres/link.ts'
import { LogQueries } from '../../src/store/postgres/log-queries.ts'
import { quotedSchema } from '../../src/store/postgres/migrations/migrations.ts'
import { openPostgresTables } from '../../src/store/postgres/postgres-tables.ts'
import { readChunks } from '../../src/store/postgres/read-chunks.ts'
import { WorkQueries } from '../../src/store/postgres/work.ts'
import { realWorld } from '../../src/world/world.ts'
import { type Explained, explained, explainedForAll } from '../postgres/explained.ts'
import { fillWithAMillion } from '../postgres/million-rows.ts'
import { freshSchema, say, testServer } from '../postgres/server.ts'
import { FIRST_AT } from '../tables/million.ts'
import {
  AUDIT_QUESTIONS,
  FIND_QUESTIONS,
  type FindQuestion,
  MOST_ROWS,
  PAGE,
  SKETCH_TIMES,
} from '../tables/questions.ts'

const schema = freshSchema()
const s = quotedSchema(schema)
const find = new FindQueries(s)
const log = new LogQueries(s)
const work = new WorkQueries(s)
let client: pg.Client

beforeAll(async () => {
  const { url } = await testServer()
  // The months in which the rows are to lie are made when it is opened.
  const tables = await openPostgresTables(url, { ...realWorld, clock: { now: () => FIRST_AT } }, { schema })
  await tables.close()
  await fillWithAMillion(url, schema)
  client = new pg.Client({ connectionString: url })
  await client.connect()
}, 240_000)

afterAll(async () => {
  await client.end()
  const server = await testServer()
  await say(server.url, `DROP SCHEMA ${s} CASCADE`)
  await server.stop()
})

const LARGE = ['job', 'record', 'closed_outbox', 'ready', 'due']

/** Tables of the log are named after their month. */
function isLarge(table: string): boolean {
  return LARGE.includes(table) || table.startsWith('log_')
}

function mustBeFew({ scanned, rows, pages, indexes }: Explained, most: number): void {
  expect(scanned.filter(isLarge)).toEqual([])
  expect(indexes).not.toEqual([])
  expect(rows).toBeLessThan(most)
  // A row is on one page, and an index has a few more on the way to it.
  expect(pages).toBeLessThan(6 * most)
}

/** All that the driver asks for a page. */
async function findQueries({ kind, find: query }: FindQuestion): Promise<readonly Query[]> {
  switch (kind) {
    case 'job':
      return [find.jobs(query)].filter((one) => one !== null)
    case 'outbox':
      return [find.outbox(query)].filter((one) => one !== null)
    case 'step': {
      const queries: Query[] = []
      await findSteps(s, query, async (one) => {
        queries.push(one)
        return (await client.query(one.text, [...(one.values ?? [])])).rows
      })
      return queries
    }
    default:
      return [find.records(kind as AloneKind, query)].filter((one) => one !== null)
  }
}

describe('find', () => {
  it.each(FIND_QUESTIONS)('$name', async (question) => {
    const queries = await findQueries(question)
    expect(queries.length).toBeGreaterThan(0)
    for (const query of queries) mustBeFew(await explained(client, query), MOST_ROWS[question.effort])
  })
})

describe('audit', () => {
  it.each(AUDIT_QUESTIONS)('$name', async ({ about, select, found }) => {
    let ids: readonly number[] | undefined
    if (about !== null) {
      const query = log.about(about)
      mustBeFew(await explained(client, query), MOST_ROWS.page)
      const { rows } = await client.query(query.text, [...(query.values ?? [])])
      ids = rows.map(({ chunk_id }) => Number(chunk_id))
      expect(ids).not.toEqual([])
    }
    const queries: Query[] = []
    const chunks = await readChunks(log, { ...select, ids }, async (query) => {
      queries.push(query)
      return (await client.query(query.text, [...(query.values ?? [])])).rows.map(({ looked, ...row }) => ({
        ...row,
        looked: Number(looked),
      }))
    })
    expect(chunks.length).toBe(found)
    for (const query of queries) mustBeFew(await explained(client, query), MOST_ROWS.page)
  })

  it('durations of a time', async () => {
    mustBeFew(
      await explained(client, log.sketches({ ...SKETCH_TIMES, after: 0, limit: 1000 })),
      2 * MOST_ROWS.page,
    )
  })
})

describe('work', () => {
  const ready = { queues: ['q1', 'q2', 'none'], perGroup: 20 }
  const all: { readonly [name: string]: Query } = {
    'what is ready': work.heads(ready),
    'taking what is ready': work.take({ what: 'ready', ...ready }),
    'taking what is ready of some tenants': work.take({
      what: 'ready',
      ...ready,
      tenants: ['t1', 't2', 'none'],
    }),
    'taking what is due': work.take({ what: 'due', now: FIRST_AT * 2, limit: PAGE }),
    'taking what is due, when little is': work.take({ what: 'due', now: FIRST_AT + 50_000, limit: PAGE }),
    'taking what was signalled': work.take({ what: 'signalled', limit: PAGE }),
  }

  it.each(Object.keys(all))('%s', async (name) => {
    const query = all[name] as Query
    mustBeFew(await explained(client, query), MOST_ROWS.page)
    const { scanned } = await explainedForAll(client, query)
    expect(scanned.filter(isLarge)).toEqual([])
  })
})
