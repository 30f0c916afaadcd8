import type { OldRecord, OldState, OldSystem } from './old-record.ts'

/**
 * `taken` became a job or a schedule now, `known` had done so before; `left` was not to be taken over, and `refused` is what
 * the ledger did.
 */
type Fate = 'taken' | 'known' | 'left' | 'refused'

/** What became of one record. */
export interface Outcome {
  readonly fate: Fate
  /** Id of the job or schedule here. */
  readonly became: string | null
  readonly request_type: string | null
  /** Why it was left or refused. */
  readonly reason: string | null
}

export type FateCounts = { readonly found: number } & { readonly [fate in Fate]: number }

/** Why some were not taken over, or in what way they are not the same: how many, and the first of them. */
export interface Finding {
  readonly what: string
  readonly count: number
  readonly examples: readonly string[]
}

export interface Example {
  readonly id: string
  readonly queue: string
  readonly name: string
  readonly state: OldState | 'schedule'
  readonly became: string
  readonly request_type: string
}

/** What an import did, or in a dry run would do. */
export interface ImportReport extends FateCounts {
  readonly from: OldSystem
  readonly version: string
  readonly where: string
  readonly dry_run: boolean
  readonly tenant_id: string
  readonly queues: { readonly [queue: string]: { readonly [state: string]: FateCounts } }
  /** Why records were left, and why they were refused. */
  readonly left_because: readonly Finding[]
  readonly refused_because: readonly Finding[]
  /** What of the records that were taken over is not the same as before. */
  readonly differences: readonly Finding[]
  /** What is true of whole queues and was not taken over. */
  readonly notes: readonly string[]
  readonly examples: readonly Example[]
  /** The file with all of it. */
  readonly report: string | null
  /** The file with the protocols of what was taken over. */
  readonly protocols: string | null
}

/** How many of each kind the summary shows. */
const MOST_EXAMPLES = 5

/** Kinds of findings that are told apart: texts with ids in them would grow without end. */
const MOST_FINDINGS = 200

type Counts = { -readonly [K in keyof FateCounts]: number }

const none = (): Counts => ({ found: 0, taken: 0, known: 0, left: 0, refused: 0 })

/** Counts what became of each record, and keeps the first of each kind. */
export class ImportTally {
  readonly #all = none()
  readonly #queues = new Map<string, Map<string, Counts>>()
  readonly #left = new FoundKinds()
  readonly #refused = new FoundKinds()
  readonly #differences = new FoundKinds()
  readonly #examples: Example[] = []

  get all(): FateCounts {
    return this.#all
  }

  add(record: OldRecord, { fate, became, request_type, reason }: Outcome): void {
    const { id, queue, name, state, differences } = record
    for (const counts of [this.#all, this.#countsOf(queue, state)]) {
      counts.found++
      counts[fate]++
    }
    const who = `${queue} ${id}`
    if (fate === 'left') this.#left.add(reason ?? '', who)
    if (fate === 'refused') this.#refused.add(reason ?? '', who)
    if (fate !== 'taken') return
    for (const what of differences) this.#differences.add(what, who)
    if (this.#examples.length < MOST_EXAMPLES && became !== null && request_type !== null) {
      this.#examples.push({ id, queue, name, state, became, request_type })
    }
  }

  summary() {
    const queues = [...this.#queues].sort(([a], [b]) => (a < b ? -1 : 1))
    return {
      ...this.#all,
      queues: Object.fromEntries(queues.map(([queue, states]) => [queue, Object.fromEntries(states)])),
      left_because: this.#left.all(),
      refused_because: this.#refused.all(),
      differences: this.#differences.all(),
      examples: [...this.#examples],
    }
  }

  #countsOf(queue: string, state: string): Counts {
    const states = this.#queues.get(queue) ?? new Map<string, Counts>()
    this.#queues.set(queue, states)
    const counts = states.get(state) ?? none()
    states.set(state, counts)
    return counts
  }
}

class FoundKinds {
  readonly #found = new Map<string, { count: number; examples: string[] }>()

  add(what: string, who: string): void {
    const key = this.#found.has(what) || this.#found.size < MOST_FINDINGS ? what : 'for other reasons'
    const found = this.#found.get(key) ?? { count: 0, examples: [] }
    this.#found.set(key, found)
    found.count++
    if (found.examples.length < MOST_EXAMPLES) found.examples.push(who)
  }

  /** The most frequent first. */
  all(): readonly Finding[] {
    return [...this.#found]
      .map(([what, { count, examples }]) => ({ what, count, examples: [...examples] }))
      .sort((a, b) => b.count - a.count)
  }
}
