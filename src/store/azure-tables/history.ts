import type { RecordKey } from '../../core/aggregate.ts'
import type { AuditRecord } from '../../core/audit.ts'
import { DurationRollup, type DurationRow, type RollupFields, sketchOf } from '../../core/durations.ts'
import { fromIso } from '../../core/time.ts'
import { BadCursor } from '../../errors/input-errors.ts'
import {
  type AuditQuery,
  auditPage,
  type Cursor,
  type DurationsQuery,
  matchesDurations,
  matchesGroup,
  type Page,
} from '../query.ts'
import type { CellStore } from './cell-store.ts'
import type { Engine } from './engine.ts'
import { eventsKey, loggedOfRow } from './event-rows.ts'
import { LINE_RANGE, laneKey } from './lane-rows.ts'
import type { Lanes } from './lanes.ts'
import { lineOf, recordsOfEntry, recordsOfLine } from './line-columns.ts'
import { whole } from './long-columns.ts'
import { membersKey } from './members.ts'
import type { MergedLog } from './merged-log.ts'
import { positionOf } from './position.ts'
import type { Projections } from './projections.ts'
import type { Row, RowQuery } from './service.ts'
import { EVENTS, INDEX } from './table-names.ts'

export interface HistoryParts {
  readonly engine: Engine
  readonly cells: CellStore
  readonly lanes: Lanes
  readonly log: MergedLog
  readonly projections: Projections
}

/** What was told: of records that are named from their own partitions, of everything else from the log. */
export class History {
  readonly #parts: HistoryParts

  constructor(parts: HistoryParts) {
    this.#parts = parts
  }

  async audit(query: AuditQuery): Promise<Page<AuditRecord>> {
    const about = await this.#about(query)
    const records = about === null ? await this.#everything(query) : this.#of(about, query)
    return auditPage(records, query)
  }

  /** How long records stayed in their states, as the lines have it added up. */
  async durations(query: DurationsQuery): Promise<readonly DurationRow[]> {
    const rollup = new DurationRollup()
    const { lanes } = this.#parts
    await lanes.refresh()
    for (const lane of lanes.numbers) await this.#addLane(lane, query, rollup)
    return rollup.rows(query)
  }

  async #addLane(lane: number, query: DurationsQuery, rollup: DurationRollup): Promise<void> {
    const { from = 0, before = Number.POSITIVE_INFINITY } = query
    const { from: rkFrom, before: rkBefore } = LINE_RANGE
    for (const row of await this.#rows(INDEX, { pk: laneKey(lane), rkFrom, rkBefore })) {
      const { first_at, last_at, sketch } = whole(row.columns) as {
        first_at?: string
        last_at: string
        sketch: string
      }
      if (first_at === undefined) continue
      // What lies in the time asked for as a whole has been added up already.
      if (fromIso(first_at) >= from && fromIso(last_at) < before) addSketches(rollup, sketch, query)
      else
        for (const record of recordsOfLine(lineOf(lane, row)))
          if (matchesDurations(record, query)) rollup.add(record)
    }
  }

  async #everything({ after, direction }: AuditQuery): Promise<AsyncIterable<AuditRecord>> {
    const { log } = this.#parts
    const position = after === undefined ? null : positionOf(after)
    if (position !== null) await log.mustBeReached(position)
    if (direction !== 'desc') return log.after(position ?? new Map())
    return position === null ? log.before(await log.end()) : withoutFirst(log.before(position))
  }

  async *#of(keys: readonly RecordKey[], { after, direction }: AuditQuery): AsyncGenerator<AuditRecord> {
    const all = (await Promise.all(keys.map((key) => this.#told(key)))).flat()
    const sign = direction === 'desc' ? -1 : 1
    const place = after === undefined || after === '0' ? null : placeOf(after)
    for (const record of all.sort((a, b) => sign * compare(a, b))) {
      if (place === null || sign * compare(record, place) > 0) yield { ...record, cursor: cursorOf(record) }
    }
  }

  /** What was told of one record, with what its own row has of it. */
  async #told(key: RecordKey): Promise<readonly AuditRecord[]> {
    const pk = eventsKey(key)
    const [rows, { meta }] = await Promise.all([this.#rows(EVENTS, { pk }), this.#parts.cells.read(key)])
    const there = rows.map(loggedOfRow).filter((one) => one !== null)
    const places = new Set(there.map(([seq]) => seq))
    return [...there, ...meta.log.filter(([seq]) => !places.has(seq))].flatMap(recordsOfEntry)
  }

  /** The records that are asked about, if that can be told; null when only all of the log will do. */
  async #about(query: AuditQuery): Promise<readonly RecordKey[] | null> {
    const { tenant_id, kind, id, job_id, doc_id } = query
    if (tenant_id === undefined) return null
    if (job_id !== undefined) return [{ kind: 'job', tenant_id, id: job_id }]
    if (id !== undefined && kind !== undefined) return this.#named(kind, tenant_id, id)
    if (doc_id === undefined) return null
    const rows = await this.#rows(INDEX, { pk: membersKey('doc_id', tenant_id, doc_id) })
    const jobs = rows.map(({ columns }) => ({ kind: 'job', tenant_id, id: columns.jobId as string }) as const)
    return [{ kind: 'document', tenant_id, id: doc_id }, ...jobs]
  }

  async #named(
    kind: NonNullable<AuditQuery['kind']>,
    tenant_id: string,
    id: string,
  ): Promise<readonly RecordKey[] | null> {
    if (kind === 'step') {
      const slash = id.lastIndexOf('/')
      return slash === -1 ? [] : [{ kind: 'job', tenant_id, id: id.slice(0, slash) }]
    }
    if (kind !== 'outbox') return [{ kind, tenant_id, id }]
    const row = await this.#parts.projections.findOutbox(tenant_id, id)
    return row === null ? null : [{ kind: 'job', tenant_id, id: row.columns.jobId as string }]
  }

  async #rows(table: string, query: RowQuery): Promise<readonly Row[]> {
    const rows: Row[] = []
    for (let next: string | undefined; ; ) {
      const page = await this.#parts.engine.service.query(table, { ...query, next })
      rows.push(...page.rows)
      if (page.next === null) return rows
      next = page.next
    }
  }
}

function addSketches(rollup: DurationRollup, text: string, query: DurationsQuery): void {
  for (const { tenant_id, kind, state, adapter, ...fields } of JSON.parse(text) as RollupFields) {
    const group = { tenant_id, kind, state, adapter }
    if (matchesGroup(group, query)) rollup.merge(group, sketchOf(fields))
  }
}

/** The record that the cursor stands for has been told. */
async function* withoutFirst(records: AsyncIterable<AuditRecord>): AsyncGenerator<AuditRecord> {
  let isFirst = true
  for await (const record of records) {
    if (!isFirst) yield record
    isFirst = false
  }
}

type Place = Pick<AuditRecord, 'seq' | 'kind' | 'id'>

function compare(a: Place, b: Place): number {
  return a.seq - b.seq || order(a.kind, b.kind) || order(a.id, b.id)
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Good for going on with the history of the same records, and for nothing else. */
function cursorOf({ seq, kind, id }: Place): Cursor {
  return `r${Buffer.from(JSON.stringify([seq, kind, id])).toString('base64url')}`
}

function placeOf(cursor: Cursor): Place {
  try {
    const fields: unknown =
      cursor.startsWith('r') && JSON.parse(Buffer.from(cursor.slice(1), 'base64url').toString())
    if (Array.isArray(fields) && fields.length === 3 && Number.isSafeInteger(fields[0])) {
      const [seq, kind, id] = fields
      return { seq, kind, id }
    }
  } catch {
    // Falls through: whatever is wrong with it, it is not a cursor.
  }
  throw new BadCursor(cursor)
}
