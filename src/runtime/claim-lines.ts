import { InvalidInput } from '../errors/input-errors.ts'
import { TooManyWaiting } from '../errors/refusal-errors.ts'
import { checkCount } from '../ledger/check-input.ts'
import { checkClaim, type Work } from '../ledger/claim.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { World } from '../world/world.ts'
import { ClaimLine, type Waiter } from './claim-line.ts'
import { RecentTenants } from './load.ts'

export interface LongClaim {
  readonly queues: readonly string[]
  /** Only work of these; of all tenants when absent. */
  readonly tenants?: readonly string[] | undefined
  /** At most so many at once; 1 when absent. */
  readonly limit?: number | undefined
  /** Who takes it: shown as the holder of the lease. */
  readonly worker?: string | undefined
  /** How long to wait when there is nothing, at most 60,000; 0 when absent. */
  readonly waitMs?: number | undefined
  /** Aborted when whoever asked is gone: nothing stays claimed for it. */
  readonly signal?: AbortSignal | undefined
}

export interface ClaimLinesOptions {
  /** Most who wait at once; 1,000 unless given. */
  readonly mostWaiting?: number | undefined
}

const MOST_WAITING = 1000
/** Who waits longer asks again: proxies in between end what is silent. */
export const LONGEST_WAIT_MS = 60_000

/** Where workers elsewhere wait for work. Nothing is asked on the off chance: they are woken by what happens. */
export class ClaimLines implements AsyncDisposable {
  readonly #ledger: Ledger
  readonly #world: Pick<World, 'clock' | 'timers' | 'logger'>
  readonly #mostWaiting: number
  readonly #lines = new Map<string, ClaimLine>()
  readonly #recent = new RecentTenants()
  readonly #underWay = new Set<Promise<void>>()
  #waiting = 0
  #follows: (() => void) | null = null
  #isStopped = false

  constructor(
    ledger: Ledger,
    world: Pick<World, 'clock' | 'timers' | 'logger'>,
    options: ClaimLinesOptions = {},
  ) {
    this.#ledger = ledger
    this.#world = world
    this.#mostWaiting = options.mostWaiting ?? MOST_WAITING
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting
  }

  /**
   * Work as soon as there is some; nothing after `waitMs`, when the signal is aborted and when this is stopped. Throws
   * `TooManyWaiting` when as many wait as may.
   */
  async claim(request: LongClaim): Promise<readonly Work[]> {
    const { limit } = checkClaim(request)
    const waitMs = checkWait(request.waitMs ?? 0)
    const { signal, worker } = request
    if (this.#isStopped || signal?.aborted === true) return []
    if (this.#waiting >= this.#mostWaiting) throw new TooManyWaiting(this.#mostWaiting)
    // Before the first look, so that nothing happens in between that nobody notices.
    this.#follows ??= this.#follow()
    const { key, line } = this.#lineOf(request)
    const { promise, resolve: answer, reject: fail } = Promise.withResolvers<readonly Work[]>()
    const waiter: Waiter = { worker, limit, answer, fail }
    const onAbort = () => line.leave(waiter)
    signal?.addEventListener('abort', onAbort, { once: true })
    const timer = this.#world.timers.after(waitMs, () => line.over(waiter))
    this.#waiting++
    line.add(waiter)
    try {
      return await promise
    } finally {
      timer.cancel()
      this.#leave(key, line)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  /** Answers everybody with nothing. Resolves when what was being claimed for them is given back. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const line of this.#lines.values()) line.leaveAll()
    await Promise.all(this.#underWay)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  #leave(key: string, line: ClaimLine): void {
    this.#waiting--
    this.#forget(key, line)
    if (this.#waiting > 0) return
    this.#follows?.()
    this.#follows = null
    // Nobody tells them of news any more.
    this.#lines.clear()
  }

  #forget(key: string, line: ClaimLine): void {
    if (line.isEmpty && this.#lines.get(key) === line) this.#lines.delete(key)
  }

  #follow(): () => void {
    const hold = this.#world.timers.hold()
    const unsubscribe = this.#ledger.onNews(() => {
      for (const line of this.#lines.values()) line.wake()
    })
    return () => {
      unsubscribe()
      hold.cancel()
    }
  }

  #lineOf({ queues, tenants }: LongClaim): { readonly key: string; readonly line: ClaimLine } {
    const named = { queues: inOrder(queues), tenants: tenants === undefined ? undefined : inOrder(tenants) }
    const key = JSON.stringify([named.queues, named.tenants ?? null])
    const there = this.#lines.get(key)
    if (there !== undefined) return { key, line: there }
    const line: ClaimLine = new ClaimLine({
      timers: this.#world.timers,
      clock: this.#world.clock,
      tryClaim: ({ worker, limit }, onHeld) =>
        this.#try({ ...named, worker, limit, running: this.#recent.byTenant, onHeld }),
      giveBack: (works, { worker }) => this.#giveBack(works, worker),
      track: (claim) => {
        this.#underWay.add(claim)
        void claim.then(() => {
          this.#underWay.delete(claim)
          this.#forget(key, line)
        })
      },
    })
    this.#lines.set(key, line)
    return { key, line }
  }

  async #try(options: Parameters<Ledger['jobs']['claim']>[0]): Promise<readonly Work[]> {
    const works = await this.#ledger.jobs.claim(options)
    for (const { job } of works) this.#recent.add(job.tenant_id)
    return works
  }

  async #giveBack(works: readonly Work[], actor: string | undefined): Promise<void> {
    const reason = 'Whoever asked for it was gone'
    for (const { step } of works) {
      try {
        await this.#ledger.jobs.release(step, { actor, reason })
      } catch (error) {
        // Its lease runs out by itself.
        this.#world.logger.warn({ error, job_id: step.job_id }, 'a step could not be given back')
      }
    }
  }
}

function inOrder(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort()
}

function checkWait(waitMs: number): number {
  if (checkCount('waitMs', waitMs) <= LONGEST_WAIT_MS) return waitMs
  const what = `waitMs is ${waitMs}, and ${LONGEST_WAIT_MS} is the most`
  throw new InvalidInput('waitMs', what, 'Wait for less, and ask again.')
}
