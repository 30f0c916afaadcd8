import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Admission, Breaker, type BreakerOptions } from './breaker.ts'

function ticketOf(admission: Admission): number {
  if (!admission.ok) throw new Error(`refused until ${admission.until}`)
  return admission.ticket
}

function opened(options: BreakerOptions, now: number): Breaker {
  const breaker = new Breaker(options)
  for (let i = 0; i < options.failures; i++) breaker.failed(ticketOf(breaker.admit(now)), now)
  return breaker
}

const FIVE = { failures: 5, recovery_ms: 60_000 }

describe('A56: a circuit breaker', () => {
  it('opens after so many failures in a row, and closes after its recovery time', () => {
    const breaker = new Breaker(FIVE)
    const fail = (now: number) => breaker.failed(ticketOf(breaker.admit(now)), now)
    for (let i = 0; i < 4; i++) fail(1000)
    breaker.succeeded(ticketOf(breaker.admit(1000)))
    for (let i = 0; i < 4; i++) fail(1000)
    expect(breaker.admit(1000).ok).toBe(true)
    fail(2000)
    expect(breaker.admit(2000)).toEqual({ ok: false, until: 62_000 })
    expect(breaker.admit(61_999)).toEqual({ ok: false, until: 62_000 })
    breaker.succeeded(ticketOf(breaker.admit(62_000)))
    for (let i = 0; i < 4; i++) fail(62_001)
    expect(breaker.admit(62_001).ok).toBe(true)
  })

  it('lets one trial through, and opens again when it fails', () => {
    const breaker = opened(FIVE, 0)
    const trial = ticketOf(breaker.admit(60_000))
    expect(breaker.admit(60_000)).toEqual({ ok: false, until: 120_000 })
    breaker.failed(trial, 61_000)
    expect(breaker.admit(120_999)).toEqual({ ok: false, until: 121_000 })
    expect(breaker.admit(121_000).ok).toBe(true)
  })

  it('does not wait for a trial for ever', () => {
    const breaker = opened({ ...FIVE, trial_ms: 300_000 }, 0)
    const lost = ticketOf(breaker.admit(60_000))
    // Others ask again before it has to be over: it will mostly be over by then.
    expect(breaker.admit(61_000)).toEqual({ ok: false, until: 121_000 })
    expect(breaker.admit(359_000)).toEqual({ ok: false, until: 360_000 })
    const second = ticketOf(breaker.admit(360_000))
    // What comes of the first one after all says nothing any more.
    breaker.succeeded(lost)
    breaker.failed(lost, 360_000)
    breaker.abandoned(lost)
    expect(breaker.admit(360_001).ok).toBe(false)
    breaker.succeeded(second)
    expect(breaker.admit(360_001).ok).toBe(true)
  })

  it('a trial that was called off leaves its place to the next', () => {
    const breaker = opened(FIVE, 0)
    breaker.abandoned(ticketOf(breaker.admit(60_000)))
    expect(breaker.admit(60_000).ok).toBe(true)
    expect(breaker.admit(60_000).ok).toBe(false)
  })

  it('what began before it opened neither closes it nor keeps it open', () => {
    const breaker = new Breaker({ failures: 2, recovery_ms: 100 })
    const [a, b, c, d] = [0, 0, 0, 0].map((now) => ticketOf(breaker.admit(now))) as [
      number,
      number,
      number,
      number,
    ]
    breaker.failed(a, 0)
    breaker.failed(b, 0)
    breaker.succeeded(c)
    breaker.failed(d, 50)
    expect(breaker.admit(50)).toEqual({ ok: false, until: 100 })
    expect(breaker.admit(100).ok).toBe(true)
  })

  it('a clock that is set back does not keep it open for longer', () => {
    const breaker = opened({ failures: 1, recovery_ms: 100, trial_ms: 50 }, 1_000_000)
    expect(breaker.admit(5000)).toEqual({ ok: false, until: 5100 })
    expect(breaker.admit(5100).ok).toBe(true)
    expect(breaker.admit(5000)).toEqual({ ok: false, until: 5100 })
    const trial = opened({ failures: 1, recovery_ms: 100, trial_ms: 50 }, 0)
    expect(trial.admit(1000).ok).toBe(true)
    expect(trial.admit(500)).toEqual({ ok: false, until: 550 })
    expect(trial.admit(550).ok).toBe(true)
  })
})

type Report = 'succeeded' | 'failed' | 'abandoned'

/** The same, told from the whole history each time, without any state that could be wrong. */
class NaiveBreaker {
  readonly #options: Required<BreakerOptions>
  readonly #calls: { readonly at: number; readonly trial: boolean; end?: { how: Report; at: number } }[] = []

  constructor(options: Required<BreakerOptions>) {
    this.#options = options
  }

  admit(now: number): { ok: true; call: number } | { ok: false; until: number } {
    const { recovery_ms, trial_ms } = this.#options
    const openedAt = this.#openedAt()
    if (openedAt === null) return this.#let(now, false)
    const until = openedAt + recovery_ms
    if (now < until) return { ok: false, until }
    const trial = this.#calls.findLast((call) => call.trial)
    const isOut = trial !== undefined && trial.at >= until && trial.end === undefined
    if (isOut && now < trial.at + trial_ms) {
      return { ok: false, until: Math.min(trial.at + trial_ms, now + recovery_ms) }
    }
    return this.#let(now, true)
  }

  report(call: number, how: Report, at: number): void {
    const it = this.#calls[call]
    if (it === undefined || it.end !== undefined) return
    it.end = { how, at }
    this.#ends.push(call)
  }

  readonly #ends: number[] = []

  #let(at: number, trial: boolean): { ok: true; call: number } {
    this.#calls.push({ at, trial })
    return { ok: true, call: this.#calls.length - 1 }
  }

  /** Goes through all reports in the order they came; null when it is closed. */
  #openedAt(): number | null {
    let openedAt: number | null = null
    let row = 0
    /** Calls up to this one began in an earlier state. */
    let begun = -1
    for (const call of this.#ends) {
      const { trial, end } = this.#calls[call] as { trial: boolean; end: { how: Report; at: number } }
      const { how, at, last } = { ...end, last: this.#begunBefore(call) }
      if (call <= begun) continue
      if (openedAt === null) {
        if (how === 'succeeded') row = 0
        if (how === 'failed') row++
        if (row < this.#options.failures) continue
        openedAt = at
      } else {
        // Only the trial that is out now.
        if (!trial || call !== last || how === 'abandoned') continue
        openedAt = how === 'failed' ? at : null
      }
      row = 0
      begun = this.#known(call)
    }
    return openedAt
  }

  /** The last trial that had begun when this call ended. */
  #begunBefore(call: number): number {
    const seen = this.#seen.get(call) ?? this.#calls.length
    this.#seen.set(call, seen)
    return this.#calls.slice(0, seen).findLastIndex((one) => one.trial)
  }

  /** All calls there were when this one ended. */
  #known(call: number): number {
    return (this.#seen.get(call) as number) - 1
  }

  readonly #seen = new Map<number, number>()
}

describe('a circuit breaker against its history', () => {
  it('in every run of up to seven steps', () => {
    // At each step: time passes, somebody asks, or one of those let through reports.
    const options = { failures: 2, recovery_ms: 2, trial_ms: 3 }
    const seen = { refused: 0, let: 0 }
    for (const steps of runs(7)) play(options, steps, seen)
    expect(seen.refused).toBeGreaterThan(1000)
    expect(seen.let).toBeGreaterThan(1000)
  })

  it('in random long runs', () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.constant<Step>({ kind: 'ask' }) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 5 }).map<Step>((ms) => ({ kind: 'pass', ms })) },
      {
        weight: 4,
        arbitrary: fc
          .tuple(fc.nat({ max: 6 }), fc.constantFrom<Report>('succeeded', 'failed', 'failed', 'abandoned'))
          .map<Step>(([nth, how]) => ({ kind: 'report', nth, how })),
      },
    )
    const options = fc.record({
      failures: fc.integer({ min: 1, max: 3 }),
      recovery_ms: fc.integer({ min: 1, max: 6 }),
      trial_ms: fc.integer({ min: 1, max: 9 }),
    })
    fc.assert(
      fc.property(options, fc.array(step, { maxLength: 80, size: 'max' }), (given, steps) => {
        play(given, steps, { refused: 0, let: 0 })
      }),
      { numRuns: 2000 },
    )
  })
})

type Step =
  | { readonly kind: 'ask' }
  | { readonly kind: 'pass'; readonly ms: number }
  /** The nth youngest of those that have not reported. */
  | { readonly kind: 'report'; readonly nth: number; readonly how: Report }

const STEPS: readonly Step[] = [
  { kind: 'ask' },
  { kind: 'pass', ms: 2 },
  { kind: 'report', nth: 0, how: 'succeeded' },
  { kind: 'report', nth: 0, how: 'failed' },
  { kind: 'report', nth: 1, how: 'failed' },
  { kind: 'report', nth: 0, how: 'abandoned' },
]

function* runs(length: number): Generator<readonly Step[]> {
  // Every run begins with two that are let through and fail: shorter ways to open it are among the rest.
  const start: readonly Step[] = [{ kind: 'ask' }, { kind: 'ask' }, { kind: 'ask' }]
  for (let n = 0; n < STEPS.length ** length; n++) {
    const steps = [...start]
    for (let rest = n, i = 0; i < length; i++, rest = Math.floor(rest / STEPS.length))
      steps.push(STEPS[rest % STEPS.length] as Step)
    yield steps
  }
}

function play(
  options: Required<BreakerOptions>,
  steps: readonly Step[],
  seen: { refused: number; let: number },
) {
  const breaker = new Breaker(options)
  const naive = new NaiveBreaker(options)
  const out: { ticket: number; call: number }[] = []
  let now = 0
  for (const step of steps) {
    if (step.kind === 'pass') now += step.ms
    else if (step.kind === 'ask') {
      const [is, should] = [breaker.admit(now), naive.admit(now)]
      if (is.ok && should.ok) {
        seen.let++
        out.push({ ticket: is.ticket, call: should.call })
      } else {
        seen.refused++
        if (is.ok || should.ok || is.until !== should.until)
          expect({ steps, is }).toEqual({ steps, is: should })
      }
    } else {
      const [one] = out.splice(-1 - step.nth, 1)
      if (one === undefined) continue
      naive.report(one.call, step.how, now)
      if (step.how === 'failed') breaker.failed(one.ticket, now)
      else breaker[step.how](one.ticket)
    }
  }
}
