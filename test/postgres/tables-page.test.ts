// docs/tables.md has every view with every column, and its queries run.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Ledger, openLedger } from 'waybill'
import { page } from '../e2e/pages.ts'
import { fences } from '../e2e/runnable-blocks.ts'
import { PROTOCOL, REQUEST } from './requests.ts'
import { freshSchema, say, type TestServer, testServer } from './server.ts'

type Columns = { readonly [view: string]: readonly string[] }

const TEXT = page('docs/tables.md')

/** As the page has them, for one of the two. */
function columnsOf(engine: 'PostgreSQL' | 'SQLite'): Columns {
  const sections = (TEXT.split('## The views')[1] ?? '').split('\n### ').slice(1)
  return Object.fromEntries(
    sections.map((section) => {
      const rows = [...section.matchAll(/^\| `(\w+)` *\| (\w*) *\| (.+?) *\|$/gm)]
      const own = rows.filter(([, , only]) => only === '' || only === engine)
      return [section.split('\n')[0], own.map(([, column]) => column as string).sort()]
    }),
  )
}

function queriesFor(engine: 'postgres' | 'sqlite'): readonly string[] {
  return fences(TEXT)
    .filter(({ info }) => info === `sql ${engine}`)
    .map(({ text }) => text)
}

function grouped(rows: readonly { readonly [column: string]: unknown }[]): Columns {
  const all: { [view: string]: string[] } = {}
  for (const { view, name } of rows) {
    all[view as string] ??= []
    all[view as string]?.push(name as string)
  }
  return Object.fromEntries(Object.entries(all).map(([view, names]) => [view, names.sort()]))
}

/** One job that is tried once, and a document. */
async function fill(ledger: Ledger): Promise<void> {
  await using _worker = ledger.work({ a: async () => 'done' })
  await (await ledger.jobs.submit({ ...REQUEST, job_id: 'JOB' })).result()
  await ledger.documents.updateState('d:1', 'fetching')
}

describe('docs/tables.md', () => {
  let server: TestServer
  const folder = mkdtempSync(join(tmpdir(), 'waybill-tables-'))

  beforeAll(async () => {
    server = await testServer()
  })

  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is right about PostgreSQL', async () => {
    const schema = freshSchema()
    await using ledger = await openLedger(server.url, { protocols: [PROTOCOL], postgres: { schema } })
    await fill(ledger)
    const text = `SELECT v.viewname AS view, c.column_name AS name FROM pg_views v JOIN information_schema.columns c
      ON c.table_schema = v.schemaname AND c.table_name = v.viewname WHERE v.schemaname = $1
        AND v.viewname NOT LIKE '%_now'`
    expect(columnsOf('PostgreSQL')).toEqual(grouped(await say(server.url, text, [schema])))
    const queries = queriesFor('postgres')
    expect(queries).toHaveLength(5)
    const answers = []
    for (const query of queries)
      answers.push(await say(server.url, query.replaceAll('waybill.', `"${schema}".`)))
    expect(answers[0]).toEqual([{ state: 'SUCCEEDED', count: '1' }])
    expect(answers[1]).toMatchObject([
      { step_id: 'a', attempt_no: 1, outcome: 'SUCCEEDED', error_type: null },
    ])
    expect(answers[2]).toMatchObject([{ step_type: 'A', attempts: '1' }])
  })

  it('is right about SQLite', async () => {
    const file = join(folder, 'ledger.db')
    await using ledger = await openLedger(`sqlite:${file}`, { protocols: [PROTOCOL] })
    await fill(ledger)
    const db = new DatabaseSync(file, { readOnly: true })
    try {
      const text = `SELECT v.name AS view, c.name FROM sqlite_schema v, pragma_table_info(v.name) c WHERE v.type = 'view'
        AND v.name NOT LIKE '%_now' ESCAPE '\\'`
      expect(columnsOf('SQLite')).toEqual(grouped(db.prepare(text).all()))
      const queries = queriesFor('sqlite')
      expect(queries).toHaveLength(5)
      const answers = queries.map((query) => db.prepare(query).all())
      expect(answers[0]).toEqual([{ state: 'SUCCEEDED', 'count(*)': 1 }])
      expect(answers[1]).toMatchObject([
        { step_id: 'a', attempt_no: 1, outcome: 'SUCCEEDED', error_type: null },
      ])
      expect(answers[2]).toMatchObject([{ step_type: 'A', attempts: 1 }])
    } finally {
      db.close()
    }
  })
})
