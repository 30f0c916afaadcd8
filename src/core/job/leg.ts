import { type AuditEntry, hopsOf } from '../audit.ts'
import type { Change } from '../decision.ts'
import { fromIso } from '../time.ts'
import type { CallbackAnswer, ClaimStep, ReportResult, StepResult } from './commands.ts'
import type { JobRecord, Ready, StepRecord } from './record.ts'

type Success = Extract<StepResult, { readonly status: 'SUCCEEDED' }>

interface ReportSuccess extends ReportResult {
  readonly result: Success
}

/** The commands that nearly every job gets, and nothing else. */
export type StrideCommand = ClaimStep | ReportSuccess

/** What was decided has to be told the same of so many before it is taken to hold for others. */
const PROOFS = 3

/** A record that moves: by how many it is fewer in one state, and more in the other. */
interface Moved {
  readonly kind: 'job' | 'step'
  readonly from: string
  readonly to: string
}

/** What was decided when a job took one stride on its way, for all that take it like that. */
export class Leg {
  readonly type: StrideCommand['type']
  readonly actor: string
  readonly reason: string | null
  /** The records as they were of the first one. */
  readonly step: StepRecord
  readonly job: JobRecord
  readonly moved: readonly Moved[]
  readonly movesJob: boolean
  /** How much later there is something due; null when there is nothing. */
  readonly dueAfterMs: number | null
  /** The places of its entries in the log. */
  readonly places: number
  /** Some limit may be in its way. */
  readonly takes: boolean
  /** The same for all; null where it carries the records. */
  readonly answer: CallbackAnswer | null
  readonly change: Change
  readonly next = new Legs()
  #proofs = 0
  #isDisproved = false
  #lastReady: Ready | null

  constructor(command: StrideCommand, change: Change, now: number, answer: CallbackAnswer | null) {
    const [step, job] = change.puts as readonly [StepRecord, JobRecord]
    this.type = command.type
    this.actor = command.actor
    this.reason = command.reason
    // Copies: what is written is frozen, and copies of frozen records take longer to make.
    this.step = { ...step }
    this.job = { ...job }
    this.moved = change.audit.flatMap(movedBy)
    this.movesJob = change.audit.some(({ kind }) => kind === 'job')
    this.dueAfterMs = job.due_at === null ? null : fromIso(job.due_at) - now
    this.places = change.audit.reduce((sum, entry) => sum + hopsOf(entry), 0)
    this.takes = change.slots.some(({ verb }) => verb === 'take')
    this.answer = answer
    this.change = change
    this.#lastReady = job.ready
  }

  /** Whether it begins like this one. */
  isLike(command: StrideCommand): boolean {
    return (
      command.type === this.type &&
      command.actor === this.actor &&
      command.reason === this.reason &&
      (command.type === 'claimStep' || this.#isLikeResult(command))
    )
  }

  #isLikeResult({ step_id, attempt_no, result }: ReportSuccess): boolean {
    const { step } = this
    return (
      step_id === step.step_id &&
      attempt_no === step.attempt_no &&
      ((result.output ?? null) === null) === (step.output === null)
    )
  }

  /** It holds for others. */
  get isProven(): boolean {
    return this.#proofs >= PROOFS && !this.#isDisproved
  }

  /** Whether it does is known. */
  get isSettled(): boolean {
    return this.#proofs >= PROOFS || this.#isDisproved
  }

  prove(isSame: boolean): void {
    if (isSame) this.#proofs++
    else this.#isDisproved = true
  }

  /** Where a job is ready after it that has a rank. Many have the same. */
  readyAt(rank: number): Ready | null {
    if (this.#lastReady !== null && this.#lastReady.rank !== rank)
      this.#lastReady = { ...this.#lastReady, rank }
    return this.#lastReady
  }
}

/** More ways to go on from one place than any program has. */
const MOST_LEGS = 8

/** What was decided for those who went on from one place. */
export class Legs {
  readonly #all: Leg[] = []

  like(command: StrideCommand): Leg | null {
    for (const leg of this.#all) if (leg.isLike(command)) return leg
    return null
  }

  get isFull(): boolean {
    return this.#all.length >= MOST_LEGS
  }

  add(leg: Leg): void {
    this.#all.push(leg)
  }
}

/** With nothing to tell but what came of it. */
export function isPlainSuccess(result: StepResult): result is Success {
  return (
    result.status === 'SUCCEEDED' &&
    result.output_file === undefined &&
    result.output_ref === undefined &&
    result.output_count === undefined &&
    result.metadata === undefined
  )
}

function movedBy({ kind, path }: AuditEntry): readonly Moved[] {
  const from = path[0] as string
  const to = path[path.length - 1] as string
  return from === to ? [] : [{ kind: kind as Moved['kind'], from, to }]
}
