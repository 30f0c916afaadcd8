import type { Message, Publisher } from 'waybill'
import { Dice } from './dice.ts'

const DELAY_MS = [200, 1500] as const
/** The share of directives that never arrive. */
const LOST = 0.12

/**
 * A message bus between the ledger and a service: what is published is on its way, arrives a little later, and now and then
 * not at all. So an ACK takes a moment, and some time out.
 */
export class SlowBus implements Publisher, AsyncDisposable {
  readonly #to: Publisher
  readonly #onTheWay = new Set<NodeJS.Timeout>()
  readonly #arriving = new Set<Promise<void>>()

  constructor(to: Publisher) {
    this.#to = to
  }

  async publish(message: Message): Promise<void> {
    const { jobId, attempt_no } = message.directive
    const dice = new Dice('bus', String(jobId), Number(attempt_no))
    if (dice.chance(LOST)) return
    const timer = setTimeout(() => {
      this.#onTheWay.delete(timer)
      const arriving = this.#arrive(message).finally(() => this.#arriving.delete(arriving))
      this.#arriving.add(arriving)
    }, dice.between(DELAY_MS))
    this.#onTheWay.add(timer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#onTheWay) clearTimeout(timer)
    await Promise.all(this.#arriving)
  }

  /** A service that does not take it is a service that never acknowledges: the ledger tries again. */
  async #arrive(message: Message): Promise<void> {
    await this.#to.publish(message, new AbortController().signal).catch(() => {})
  }
}
