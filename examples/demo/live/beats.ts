import { setTimeout } from 'node:timers/promises'
import { WaybillError } from 'waybill'

/** What happens again and again until it is stopped: each time so long after the time before was over. */
export class Beats implements AsyncDisposable {
  readonly #stopping = new AbortController()
  readonly #loops: Promise<void>[] = []

  every(seconds: number, action: () => Promise<unknown>): void {
    this.#loops.push(this.#loop(seconds * 1000, action))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#loops)
  }

  async #loop(ms: number, action: () => Promise<unknown>): Promise<void> {
    const { signal } = this.#stopping
    for (;;) {
      await setTimeout(ms, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      await tolerant(action)
    }
  }
}

/** The ledger may refuse: somebody at the page was faster, or a tenant has all the jobs that it may have. */
async function tolerant(action: () => Promise<unknown>): Promise<void> {
  try {
    await action()
  } catch (error) {
    if (!(error instanceof WaybillError)) throw error
  }
}
