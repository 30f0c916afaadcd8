import type { CallbackAnswer, StepResult } from '../../src/core/job/commands.ts'
import { policyOf } from '../../src/core/job/protocol.ts'
import type { StepRecord } from '../../src/core/job/record.ts'
import { fromIso } from '../../src/core/time.ts'
import { LedgerClosed } from '../../src/errors/input-errors.ts'
import { DiskFull, WriterFailed } from '../../src/errors/journal-errors.ts'
import { LeaseMismatch } from '../../src/errors/refusal-errors.ts'
import type { Attempt } from '../../src/ledger/command-options.ts'
import { law } from './law-broken.ts'
import { serviceActor } from './laws/sending.ts'
import { type Life, Unanswered } from './life.ts'
import { POLICY } from './protocols.ts'
import type { Scene } from './scene.ts'
import { nameOf } from './shadow.ts'
import { short } from './trace.ts'

export interface Speaker extends Attempt {
  readonly tenant_id: string
  readonly lease_id: string
}

export type Callback =
  | { readonly says: 'ack' | 'heartbeat' }
  | { readonly says: 'result'; readonly result: StepResult }

/** How often a callback that could not be delivered is sent again, in calm times until it is. */
const MOST_TRIES = 3
const AGAIN_MS = 1500
const QUICKEST_MS = 50
const SLOWEST_MS = 9000
const COPIES = { lost: 0, once: 1, twice: 2 } as const

/** The way back from services: loses, repeats, delays and overtakes. */
export class CallbackLine {
  readonly #scene: Scene
  readonly #life: () => Life | null

  constructor(scene: Scene, life: () => Life | null) {
    this.#scene = scene
    this.#life = life
  }

  /** Calls back with the answer, if there is one. */
  send(speaker: Speaker, callback: Callback, onAnswer: (answer: CallbackAnswer) => void = () => {}): void {
    const { dice, isCalm } = this.#scene
    const copies = isCalm ? 1 : COPIES[dice.weighed({ lost: 7, once: 85, twice: 8 })]
    for (let n = 0; n < copies; n++) {
      const isSlow = !isCalm && dice.chance(0.1)
      const ms = dice.between(0, isSlow ? SLOWEST_MS : QUICKEST_MS)
      this.#deliver(speaker, callback, onAnswer, ms, 1)
    }
  }

  #deliver(
    speaker: Speaker,
    callback: Callback,
    onAnswer: (answer: CallbackAnswer) => void,
    ms: number,
    nth: number,
  ): void {
    this.#scene.after(ms, async () => {
      const answer = await this.#call(speaker, callback)
      const name = `${callback.says} of ${short(speaker.lease_id)}`
      this.#scene.trace.add(`${name}: ${typeof answer === 'string' ? answer : answer.status}`)
      if (typeof answer !== 'string') return onAnswer(answer)
      if (answer === 'refused' || (nth >= MOST_TRIES && !this.#scene.isCalm)) return
      this.#deliver(speaker, callback, onAnswer, AGAIN_MS, nth + 1)
    })
  }

  async #call(speaker: Speaker, callback: Callback): Promise<CallbackAnswer | 'unanswered' | 'refused'> {
    const life = this.#life()
    if (life === null) return 'unanswered'
    const before = this.#now
    const held = this.#isHeld(speaker)
    try {
      const answer = await life.ask(({ jobs }) => {
        const by = { actor: serviceActor(speaker.lease_id) }
        if (callback.says === 'result') return jobs.result(speaker, callback.result, by)
        return jobs[callback.says](speaker, by)
      })
      this.#check(speaker, callback, answer, { before, held })
      return answer
    } catch (error) {
      if (error instanceof LeaseMismatch) return 'refused'
      const isExcused = [Unanswered, DiskFull, WriterFailed, LedgerClosed].some(
        (kind) => error instanceof kind,
      )
      const isFailed = (error as NodeJS.ErrnoException).code === 'EIO' && this.#scene.troubles.hasFailed
      if (!isExcused && !isFailed) throw error
      return 'unanswered'
    }
  }

  /** Earlier than this nothing is decided. Where several have the ledger each has a time of its own, not behind the clock. */
  get #now(): number {
    const { engine, laws, world } = this.#scene
    const { now } = laws.shadow
    return engine === 'azure-tables' ? Math.min(now, world.clock.now()) : now
  }

  #check(
    speaker: Speaker,
    { says }: Callback,
    { status, cancel, lease_expires_at: until }: CallbackAnswer,
    { before, held }: { readonly before: number; readonly held: boolean },
  ): void {
    const { shadow } = this.#scene.laws
    const { lease_id } = speaker
    // Others may have come in between the decision and its answer.
    law(
      held || this.#isHeld(speaker),
      () => `the ${says} of ${lease_id} was ${status}, and it does not hold the step`,
    )
    if (says !== 'heartbeat' || status !== 'accepted' || cancel || until === null) return
    const step = shadow.step(nameOf(speaker.tenant_id, speaker.job_id), speaker.step_id) as StepRecord
    if (step.lease_id !== lease_id || step.state !== 'IN_PROGRESS') return
    const latest = fromIso(step.state_since) + policyOf(step, 'timeout_ms')
    const least = Math.min(before + POLICY.lease_ms, this.#now + POLICY.lease_ms, latest)
    law(fromIso(until) >= least, () => `a heartbeat of ${lease_id} left its lease at ${until}`)
  }

  #isHeld({ tenant_id, job_id, step_id, lease_id }: Speaker): boolean {
    return this.#scene.laws.shadow.step(nameOf(tenant_id, job_id), step_id)?.lease_id === lease_id
  }
}
