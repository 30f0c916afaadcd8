// A circuit breaker:
//
// - closed: everybody is let through; so many failures in a row open it;
// - open: everybody is refused, until its recovery time is over;
// - half-open: one trial is let through and the others are refused until it ends. Success closes it, failure opens it again.
//
// A report counts only while the state it was admitted in lasts: what began before it opened says nothing of the
// time since. A trial that never reports is given up after a while.

export interface BreakerPolicy {
  /** Failures in a row that open it. */
  readonly failures: number
  /** How long it stays open. */
  readonly recovery_ms: number
}

export type Admission =
  | {
      readonly ok: true
      /** To be handed back with the report. */
      readonly ticket: number
    }
  | {
      readonly ok: false
      /** Asking again before then is of no use. */
      readonly until: number
    }

export interface BreakerOptions extends BreakerPolicy {
  /** How long a trial may take before another one is let through; as long as it stays open, unless given. */
  readonly trial_ms?: number
}

/** Knows no clock: everybody who calls says what time it is. */
export class Breaker {
  readonly #failures: number
  readonly #recoveryMs: number
  readonly #trialMs: number
  /** Failures in a row while it is closed. */
  #failed = 0
  /** Until when it is open; null while it is closed. */
  #openUntil: number | null = null
  /** Until when a trial has to report; null when there is none. */
  #trialUntil: number | null = null
  /** Counts how often it opened, closed, or let a trial through. */
  #era = 0

  constructor({ failures, recovery_ms, trial_ms = recovery_ms }: BreakerOptions) {
    this.#failures = failures
    this.#recoveryMs = recovery_ms
    this.#trialMs = trial_ms
  }

  admit(now: number): Admission {
    if (this.#openUntil === null) return { ok: true, ticket: this.#era }
    // A clock that was set back must not keep it shut for longer than it was meant to be.
    this.#openUntil = Math.min(this.#openUntil, now + this.#recoveryMs)
    if (now < this.#openUntil) return { ok: false, until: this.#openUntil }
    if (this.#trialUntil !== null) {
      this.#trialUntil = Math.min(this.#trialUntil, now + this.#trialMs)
      // It will mostly be over long before it has to be.
      if (now < this.#trialUntil)
        return { ok: false, until: Math.min(this.#trialUntil, now + this.#recoveryMs) }
    }
    this.#trialUntil = now + this.#trialMs
    return { ok: true, ticket: ++this.#era }
  }

  succeeded(ticket: number): void {
    if (ticket !== this.#era) return
    this.#failed = 0
    if (this.#openUntil === null) return
    this.#openUntil = null
    this.#trialUntil = null
    this.#era++
  }

  failed(ticket: number, now: number): void {
    if (ticket !== this.#era) return
    this.#failed++
    if (this.#openUntil === null && this.#failed < this.#failures) return
    this.#failed = 0
    this.#openUntil = now + this.#recoveryMs
    this.#trialUntil = null
    this.#era++
  }

  /** It ended without saying anything of the thing behind the breaker: the next one may be the trial. */
  abandoned(ticket: number): void {
    if (ticket === this.#era) this.#trialUntil = null
  }
}
