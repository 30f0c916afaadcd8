// Pages of records. Pages by the time of the last change are put together from the first of each state, which an index
// has in this order: the states that a job ends in, and every state of a record.
import type { AloneKind } from '../../core/aggregate.ts'
import { isTerminal, type Machine } from '../../core/machine.ts'
import { machines } from '../../core/machines/all.ts'
import { jobMachine } from '../../core/machines/job.ts'
import { outboxMachine } from '../../core/machines/outbox.ts'
import type { Find } from '../tables/tables.ts'
import { textArray } from './binary-array.ts'
import {
  afterOf,
  bounds,
  type Columns,
  conditions,
  orderOf,
  type Placed,
  wantedStates,
} from './find-parts.ts'
import type { Query } from './link.ts'
import { jobColumns, RECORD_COLUMNS } from './rows.ts'
import { all, SqlParts } from './sql-parts.ts'

const JOB_FIELDS: Columns = {
  state: 'j.state',
  request_type: 'j.request_type',
  protocol_id: 'j.protocol_id',
  run_id: 'j.run_id',
  workstream_id: 'j.workstream_id',
  doc_id: 'j.doc_id',
  job_id: 'j.job_id',
}

const JOB_PLACE: Placed = { at: 'j.changed_at', tenant: 'j.tenant_id', id: 'j.job_id' }

const RECORD_FIELDS: { readonly [kind in AloneKind]: Columns } = {
  document: { state: 'r.state', adapter: 'r.adapter', doc_id: 'r.id' },
  run: { state: 'r.state', run_id: 'r.id' },
  workstream: { state: 'r.state', run_id: 'r.run_id', workstream_id: 'r.id' },
  queue: { state: 'r.state', queue: 'r.id' },
  schedule: { state: 'r.state' },
  token: { state: 'r.state' },
}

const RECORD_PLACE: Placed = { at: 'r.changed_at', tenant: 'r.tenant_id', id: 'r.id' }

/** Questions about records. Null where nothing can match: no record of the kind has the field. */
export class FindQueries {
  readonly #s: string

  constructor(schema: string) {
    this.#s = schema
  }

  jobs(find: Find): Query | null {
    const parts = new SqlParts()
    const where = conditions(parts, find, JOB_FIELDS, JOB_PLACE)
    if (where === null) return null
    const from = `SELECT ${jobColumns(this.#s)}, j.changed_at FROM ${this.#s}.job j`
    const limit = parts.value(find.limit)
    const states = wantedStates(find, jobMachine)
    if (states.length === 0) return null
    const ended = states.filter((state) => isTerminal(jobMachine, state as never))
    const hasOpen = ended.length < states.length
    if (find.order === 'id') {
      const only = ended.length === 0 ? 'j.ended_state IS NULL' : hasOpen ? null : endedAs(parts, ended)
      const text = `${from} WHERE ${all([where, only])} ORDER BY ${orderOf(find, JOB_PLACE)} LIMIT ${limit}`
      return { text, values: parts.values }
    }
    const place = { ...JOB_PLACE, at: 'j.ended_at' }
    const after = all([...bounds(parts, find, place.at), afterOf(parts, find, place)])
    const branches = ended.map((state) => {
      const only = `j.ended_state = ${parts.value(state)} AND ${after}`
      return `(${from} WHERE ${where} AND ${only} ORDER BY ${orderOf(find, place)} LIMIT ${limit})`
    })
    if (hasOpen) {
      const only = 'j.ended_state IS NULL'
      branches.push(
        `(${from} WHERE ${where} AND ${only} ORDER BY ${orderOf(find, JOB_PLACE)} LIMIT ${limit})`,
      )
    }
    return {
      text: merged(branches, find, { at: 'changed_at', tenant: 'tenant_id', id: 'job_id' }, limit),
      values: parts.values,
    }
  }

  records(kind: AloneKind, find: Find): Query | null {
    const parts = new SqlParts()
    const where = conditions(parts, find, RECORD_FIELDS[kind], RECORD_PLACE)
    if (where === null) return null
    const from = `SELECT ${RECORD_COLUMNS}, r.changed_at FROM ${this.#s}.record r WHERE r.kind = ${parts.value(kind)} AND ${where}`
    const order = `ORDER BY ${orderOf(find, RECORD_PLACE)} LIMIT ${parts.value(find.limit)}`
    if (find.order === 'id') return { text: `${from} ${order}`, values: parts.values }
    const states = wantedStates(find, machines[kind] as Machine<string>)
    if (states.length === 0) return null
    const branches = states.map((state) => `(${from} AND r.state = ${parts.value(state)} ${order})`)
    const place = { at: 'changed_at', tenant: 'tenant_id', id: 'id' }
    return { text: merged(branches, find, place, parts.value(find.limit)), values: parts.values }
  }

  /** Closed rows have a table, open ones are found in their jobs. */
  outbox(find: Find): Query | null {
    const parts = new SqlParts()
    const s = this.#s
    const place = { at: 'o.changed_at', tenant: 'o.tenant_id', id: 'o.outbox_id' }
    const fields = { state: 'o.state', job_id: 'o.job_id', step_id: 'o.step_id' }
    const where = conditions(parts, find, fields, place)
    if (where === null) return null
    const order = `ORDER BY ${orderOf(find, place)} LIMIT ${parts.value(find.limit)}`
    const states = wantedStates(find, outboxMachine)
    const branches: string[] = []
    const ended = states.filter((state) => isTerminal(outboxMachine, state as never))
    // By the time of change an index has each state by itself.
    const lists = find.order === 'id' ? [null] : ended.map((state) => `o.state = ${parts.value(state)}`)
    for (const only of ended.length === 0 ? [] : lists) {
      branches.push(`(SELECT o.tenant_id, o.outbox_id, o.job_id, o.step_id, o.state, o.changed_at, o.body,
        NULL::bigint AS version, NULL::text[] AS holds, NULL::text AS fixed, NULL::text AS moving
        FROM ${s}.closed_outbox o WHERE ${all([where, only])} ${order})`)
    }
    if (ended.length < states.length) {
      branches.push(`(SELECT o.tenant_id, o.outbox_id, o.job_id, o.step_id, o.state, o.changed_at, NULL::text AS body,
        o.version, o.holds, o.fixed, o.moving
        FROM (SELECT ${jobColumns(s)}, w.outbox_id COLLATE "C" AS outbox_id, w.step_id, w.state, w.changed_at
          FROM ${s}.job j CROSS JOIN LATERAL ${s}.open_outbox_of(j.moving) AS w WHERE j.open_rows > 0) AS o
        WHERE ${where} ${order})`)
    }
    if (branches.length === 0) return null
    const outer = { at: 'changed_at', tenant: 'tenant_id', id: 'outbox_id COLLATE "C"' }
    return { text: merged(branches, find, outer, parts.value(find.limit)), values: parts.values }
  }
}

/** In a column that an index has, unlike the state, which changes at every step. */
function endedAs(parts: SqlParts, states: readonly string[]): string {
  return `j.ended_state = ANY (${parts.value(textArray(states))}::text[])`
}

function merged(branches: readonly string[], find: Find, place: Placed, limit: string): string {
  return `SELECT * FROM (${branches.join(' UNION ALL ')}) AS f ORDER BY ${orderOf(find, place)} LIMIT ${limit}`
}
