import type { QueryResultRow } from 'pg'
import type { Claim } from '../../core/decision.ts'
import type { ClosedRow, Loaded, RecordRow, RefusalKey, SlotRow, Wanted } from '../tables/tables.ts'
import { textArray } from './binary-array.ts'
import type { Query } from './link.ts'
import { CLOSED_COLUMNS, jobColumns, jobOf, type RawJob, RECORD_COLUMNS } from './rows.ts'

type ReadAll = (queries: readonly Query[]) => Promise<readonly (readonly QueryResultRow[])[]>

type RawSlot = Omit<SlotRow, 'named'> & { readonly named: string }

/** A row for each key, by its primary key, however the server guesses the size of things: a limit is not reordered. */
const byKey = (columns: string, from: string, where: string, keys: string) =>
  `SELECT f.* FROM unnest(${keys}) AS w(a, b, c) CROSS JOIN LATERAL (SELECT ${columns} FROM ${from} WHERE ${where} LIMIT 1) AS f`

/** Reads what is wanted: all questions are sent together. */
export class Loading {
  readonly #texts: { readonly [part in keyof Wanted]: string }

  constructor(s: string) {
    const two = '$1::text[], $2::text[], $2::text[]'
    const three = '$1::text[], $2::text[], $3::text[]'
    const keyed = (table: string, columns: string) =>
      byKey(columns, `${s}.${table} t`, 't.tenant_id = w.a AND t.key = w.b', two)
    this.#texts = {
      jobs: byKey(jobColumns(s), `${s}.job j`, 'j.tenant_id = w.a AND j.job_id = w.b', two),
      records: byKey(
        RECORD_COLUMNS,
        `${s}.record r`,
        'r.kind = w.a AND r.tenant_id = w.b AND r.id = w.c',
        three,
      ),
      claims: keyed('claim', 't.tenant_id, t.key, t.owner'),
      slots: keyed('slot', 't.tenant_id, t.key, t.version, t.counted, t.named'),
      refusals: byKey(
        't.kind, t.tenant_id, t.id, t.count',
        `${s}.refusal t`,
        't.kind = w.a AND t.tenant_id = w.b AND t.id = w.c',
        three,
      ),
      rows: byKey(CLOSED_COLUMNS, `${s}.closed_outbox o`, 'o.tenant_id = w.a AND o.outbox_id = w.b', two),
    }
  }

  async load(wanted: Wanted, readAll: ReadAll): Promise<Loaded> {
    const queries: Query[] = []
    const parts: (keyof Wanted)[] = []
    const add = <T>(part: keyof Wanted, keys: readonly T[], columns: readonly ((key: T) => string)[]) => {
      if (keys.length === 0) return
      parts.push(part)
      const values = columns.map((column) => textArray(keys.map(column)))
      queries.push({ name: `load-${part}`, text: this.#texts[part], values })
    }
    add('jobs', wanted.jobs, [(k) => k.tenant_id, (k) => k.id])
    add('records', wanted.records, [(k) => k.kind, (k) => k.tenant_id, (k) => k.id])
    add('claims', wanted.claims, [(k) => k.tenant_id, (k) => k.key])
    add('slots', wanted.slots, [(k) => k.tenant_id, (k) => k.key])
    add('refusals', wanted.refusals, [(k) => k.kind, (k) => k.tenant_id, (k) => k.id])
    add('rows', wanted.rows, [(k) => k.tenant_id, (k) => k.id])
    if (queries.length === 0) return NOTHING
    const answers = await readAll(queries)
    const found: { -readonly [part in keyof Loaded]: Loaded[part] } = { ...NOTHING }
    for (const [index, part] of parts.entries())
      setPart(found, part, answers[index] as readonly QueryResultRow[])
    return found
  }
}

const NOTHING: Loaded = { jobs: [], records: [], claims: [], slots: [], refusals: [], rows: [] }

type Part = { -readonly [part in keyof Loaded]: Loaded[part] }

function setPart(found: Part, part: keyof Wanted, rows: readonly QueryResultRow[]): void {
  switch (part) {
    case 'jobs':
      found.jobs = (rows as unknown as readonly RawJob[]).map(jobOf)
      break
    case 'records':
      found.records = rows as unknown as readonly RecordRow[]
      break
    case 'claims':
      found.claims = rows as unknown as readonly Claim[]
      break
    case 'slots':
      found.slots = (rows as unknown as readonly RawSlot[]).map(slotOf)
      break
    case 'refusals':
      found.refusals = rows as unknown as readonly (RefusalKey & { count: number })[]
      break
    case 'rows':
      found.rows = rows as unknown as readonly ClosedRow[]
      break
  }
}

function slotOf({ named, ...row }: RawSlot): SlotRow {
  return { ...row, named: JSON.parse(named) }
}
