import { hopsOf } from '../../core/audit.ts'
import type { Claim } from '../../core/decision.ts'
import type { Birth } from '../../core/job/birth.ts'
import type { JobForm } from '../../core/job/job-form.ts'
import { type CountEntry, StateCounts } from '../live/state-counts.ts'
import { claimOf, readyKeyOf } from './birth-runs.ts'
import { bornRow } from './born-row.ts'
import { encodeChunk } from './entry-codec.ts'
import type { NewChunk } from './log-parts.ts'
import type { Changes, NewJob, ReadyKey, SlotWrite, WriteSet } from './tables.ts'

const NOTHING: readonly never[] = Object.freeze([])
const NO_CHANGES: Changes<never> = Object.freeze({ adds: NOTHING, drops: NOTHING })

/** A write that is one new job, like others, and nothing else. Its row, and what the log has of it, are made when somebody asks. */
export class LoneSet implements WriteSet {
  readonly lone: Birth
  readonly slots: readonly SlotWrite[]
  readonly counts: readonly CountEntry[]
  readonly at: number
  readonly chunk: NewChunk
  readonly claims: readonly Claim[]
  readonly ready: Changes<ReadyKey>
  readonly runs = NOTHING
  readonly strides = NOTHING
  readonly jobs = NOTHING
  readonly records = NOTHING
  readonly rows = NOTHING
  readonly due = NO_CHANGES
  readonly waits = NO_CHANGES
  readonly refusals = NOTHING
  readonly signals = NOTHING
  readonly delivered = NOTHING
  readonly verify = NOTHING
  readonly inbox = NOTHING
  readonly isNews = true
  #newJobs: readonly NewJob[] | null = null

  constructor(lone: Birth, slots: readonly SlotWrite[]) {
    this.lone = lone
    this.slots = slots
    this.counts = loneCounts(lone)
    this.at = lone.now
    this.chunk = loneChunk(lone)
    this.claims = [claimOf(lone)]
    this.ready = { adds: [readyKeyOf(lone)], drops: NOTHING }
  }

  get newJobs(): readonly NewJob[] {
    this.#newJobs ??= [bornRow(this.lone)]
    return this.#newJobs
  }

  /** The same as a write like any other. */
  inRows(): WriteSet {
    const { lone: _, chunk, ...rest } = this
    const { entries, places, first_at, last_at, tags, sketch } = chunk
    return { ...rest, newJobs: this.newJobs, chunk: { entries, places, first_at, last_at, tags, sketch } }
  }
}

const counts = new WeakMap<JobForm, readonly CountEntry[]>()

/** What there is more of by it: the same for all that are like it. */
export function loneCounts({ form, tenant_id }: Birth): readonly CountEntry[] {
  let known = counts.get(form)
  if (known === undefined) {
    const all = new StateCounts()
    for (const { state } of form.steps) all.add(tenant_id, 'step', state, 1)
    all.add(tenant_id, 'job', form.job.state, 1)
    known = [...all.entries()]
    counts.set(form, known)
  }
  return known
}

export function loneChunk(birth: Birth): NewChunk {
  return new LoneChunk(birth)
}

class LoneChunk implements NewChunk {
  readonly places: number
  readonly #birth: Birth
  #told: NewChunk | null = null

  constructor(birth: Birth) {
    this.#birth = birth
    this.places = hopsOf(birth.form.entry)
  }

  get first_at(): number {
    return this.#birth.now
  }

  get last_at(): number {
    return this.#birth.now
  }

  get entries(): string {
    return this.#all.entries
  }

  get tags(): readonly string[] {
    return this.#all.tags
  }

  get sketch(): string {
    return this.#all.sketch
  }

  get #all(): NewChunk {
    this.#told ??= encodeChunk(NOTHING, [this.#birth])
    return this.#told
  }
}
