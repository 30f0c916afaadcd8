import { LawBroken } from '../law-broken.ts'
import { type Commit, Shadow } from '../shadow.ts'
import { attemptsAreSound } from './attempts.ts'
import { HandingOut } from './handing-out.ts'
import { LimitsAreKept } from './limits.ts'
import { Once } from './once.ts'
import { recordsAreSound } from './records.ts'
import { Sending } from './sending.ts'

type Law = (shadow: Shadow, commit: Commit) => void

/** Holds every change that becomes durable against the laws, and knows what the ledger has to hold. */
export class AllLaws {
  readonly shadow = new Shadow()
  readonly once = new Once()
  readonly sending = new Sending()
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
      limits.check,
      handingOut.check,
      this.once.check,
      this.sending.check,
    ]
    this.#after = [limits.checkPlaces]
  }

  commit(commit: Commit): void {
    this.#hold(this.#before, commit)
    this.shadow.apply(commit)
    this.#hold(this.#after, commit)
  }

  #hold(laws: readonly Law[], commit: Commit): void {
    for (const law of laws) {
      try {
        law(this.shadow, commit)
      } catch (error) {
        const broken = error instanceof LawBroken ? error : new LawBroken(String(error), { cause: error })
        this.#onBroken(broken)
      }
    }
  }
}
