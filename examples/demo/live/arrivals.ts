import type { Ledger } from 'waybill'
import { Dice } from './dice.ts'
import { openJobs } from './open-jobs.ts'
import type { Request } from './requests.ts'

/** Brings in one request after the other, of every kind, but no more of a kind than may be open. */
export class Arrivals {
  readonly #ledger: Ledger
  readonly #requests: readonly Request[]
  /** Which comes next: drawn once, so that it is the same in every run. */
  readonly #dice = new Dice('arrivals')
  readonly #numbers = new Map<Request, number>()

  constructor(ledger: Ledger, requests: readonly Request[]) {
    this.#ledger = ledger
    this.#requests = requests
  }

  /** So many of each kind at once. */
  async burst(each: number): Promise<void> {
    const all = this.#requests.flatMap((request) => {
      const few = Math.min(each, request.mostOpen)
      return Array.from({ length: few }, () => this.#submit(request))
    })
    await Promise.all(all)
  }

  async next(): Promise<void> {
    const request = this.#draw()
    const open = await openJobs(this.#ledger, request.request_type)
    if (open.length < request.mostOpen) await this.#submit(request)
  }

  #draw(): Request {
    const [first, ...others] = this.#requests.flatMap((request) =>
      Array.from({ length: request.weight }, () => request),
    )
    if (first === undefined) throw new Error('Nobody asks for anything')
    return this.#dice.oneOf([first, ...others])
  }

  #submit(request: Request): Promise<unknown> {
    const number = (this.#numbers.get(request) ?? 0) + 1
    this.#numbers.set(request, number)
    return request.submit(number)
  }
}
