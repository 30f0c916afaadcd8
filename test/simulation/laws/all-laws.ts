import type { AuditEntry } from '../../../src/core/audit.ts'
import { LawBroken } from '../law-broken.ts'
import { type Commit, Shadow } from '../shadow.ts'
import { attemptsAreSound } from './attempts.ts'
import { HandingOut } from './handing-out.ts'
import { LimitsAreKept } from './limits.ts'
import { Once } from './once.ts'
import { recordsAreSound } from './records.ts'
import { Reporting } from './reporting.ts'
import { Sending } from './sending.ts'
import { stagingIsSound } from './staging.ts'

type Law = (shadow: Shadow, commit: Commit) => void

/** Holds every change that becomes durable against the laws, and knows what the ledger has to hold. */
export class AllLaws {
  readonly shadow = new Shadow()
  readonly once = new Once()
  readonly sending = new Sending()
  readonly #reporting = new Reporting()
  readonly #before: readonly Law[]
  readonly #after: readonly Law[]
  readonly #onBroken: (broken: LawBroken) => void

  constructor(inFlightLimit: number, onBroken: (broken: LawBroken) => void) {
    const limits = new LimitsAreKept(inFlightLimit)
    const handingOut = new HandingOut()
    this.#onBroken = onBroken
    this.#before = [
      recordsAreSound,
      attemptsAreSound,
      stagingIsSound,
      limits.check,
      handingOut.check,
      this.once.check,
      this.sending.check,
    ]
    this.#after = [limits.checkPlaces, this.#reporting.check]
  }

  commit(commit: Commit): void {
    this.#hold(this.#before, commit)
    this.shadow.apply(commit)
    this.#hold(this.#after, commit)
  }

  ignored(entry: AuditEntry): void {
    this.#guard(() => this.#reporting.ignored(this.shadow, entry))
  }

  #hold(laws: readonly Law[], commit: Commit): void {
    for (const law of laws) this.#guard(() => law(this.shadow, commit))
  }

  #guard(check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#onBroken(error instanceof LawBroken ? error : new LawBroken(String(error), { cause: error }))
    }
  }
}
