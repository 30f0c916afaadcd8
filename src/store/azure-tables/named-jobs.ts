// Which jobs a question is about, where that can be told without looking at all of them: those that are named, those of a
// run, a workstream or a document, and those that have not ended.
import { openStatesOf } from '../../core/machine.ts'
import { jobMachine } from '../../core/machines/job.ts'
import type { FindQuery } from '../query.ts'
import { type Shards, SLOT_RANGE, slotOfRow } from './idempotency-rows.ts'
import { MEMBER_FIELDS, memberConditions, membersKey } from './members.ts'
import type { Scanning } from './scanning.ts'
import { IDEMPOTENCY, INDEX } from './table-names.ts'
import type { Totals } from './totals.ts'

const OPEN: ReadonlySet<string> = new Set(openStatesOf(jobMachine))

/** More open jobs than this are looked for in the list of all: each of them is read by itself. */
const MOST_OPEN = 2000

export interface NamedJobsParts {
  readonly scanning: Scanning
  readonly shards: Shards
  readonly totals: Totals
}

export class NamedJobs {
  readonly #parts: NamedJobsParts

  constructor(parts: NamedJobsParts) {
    this.#parts = parts
  }

  /** Null when all have to be looked at. */
  async ids({ kind, where = {} }: FindQuery, tenant_id: string): Promise<readonly string[] | null> {
    if (kind !== 'job' && kind !== 'step') return null
    if (where.job_id !== undefined) return [...new Set(valuesOf(where.job_id))]
    if (kind === 'step') return null
    const states = where.state === undefined ? null : valuesOf(where.state)
    for (const field of MEMBER_FIELDS) {
      const wanted = where[field]
      if (wanted !== undefined) {
        const keys = valuesOf(wanted).map((id) => membersKey(field, tenant_id, id))
        return this.#members(keys, states)
      }
    }
    const isOpenOnly = states !== null && states.length > 0 && states.every((state) => OPEN.has(state))
    return isOpenOnly ? this.#open(tenant_id) : null
  }

  async #members(keys: readonly string[], states: readonly string[] | null): Promise<readonly string[]> {
    const ids = new Set<string>()
    if (states?.length === 0) return []
    const where = states === null ? [] : memberConditions(states, (state) => OPEN.has(state))
    for (const pk of keys) {
      for await (const { columns } of this.#parts.scanning.rows(INDEX, { pk, where }))
        ids.add(columns.jobId as string)
    }
    return [...ids]
  }

  /** Those who hold places. Whether that is all of them the counts tell: if not, all jobs have to be looked at. */
  async #open(tenant_id: string): Promise<readonly string[] | null> {
    const { scanning, shards, totals } = this.#parts
    const counts = (await totals.counts()).read('job', tenant_id)
    const open = [...OPEN].reduce((sum, state) => sum + (counts[state] ?? 0), 0)
    if (open > MOST_OPEN) return null
    const ids = new Set<string>()
    for (const pk of shards.partitionsOf(tenant_id)) {
      const { from: rkFrom, before: rkBefore } = SLOT_RANGE
      for await (const row of scanning.rows(IDEMPOTENCY, { pk, rkFrom, rkBefore })) {
        const { isJobs, owner } = slotOfRow(row)
        if (isJobs) ids.add(owner)
      }
    }
    return ids.size < open ? null : [...ids]
  }
}

function valuesOf(wanted: string | readonly string[]): readonly string[] {
  return typeof wanted === 'string' ? [wanted] : wanted
}
