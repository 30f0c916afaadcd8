import type { Worker } from 'node:worker_threads'
import { LedgerClosed } from '../../errors/input-errors.ts'
import { beginThread } from './begin-thread.ts'
import type { Calls, FromThread, Request, ThreadData, Verb } from './calls.ts'
import { errorOf } from './errors.ts'

interface Asked {
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
}

/** The thread of the database, as others see it. It keeps the process alive only while somebody waits for an answer. */
export class Thread {
  readonly #path: string
  readonly #worker: Worker
  readonly #asked = new Map<number, Asked>()
  #ids = 0
  #ended: Error | null = null
  #closed: Promise<void> | null = null

  private constructor(data: ThreadData) {
    this.#path = data.path
    this.#worker = beginThread(data)
  }

  static async open(data: ThreadData): Promise<Thread> {
    const thread = new Thread(data)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    thread.#listen(resolve, reject)
    try {
      await promise
    } catch (error) {
      await thread.#worker.terminate()
      throw error
    }
    thread.#worker.unref()
    return thread
  }

  call<V extends Verb>(verb: V, ...given: Parameters<Calls[V]>): Promise<ReturnType<Calls[V]>> {
    if (this.#ended !== null) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      const request: Request = { id: ++this.#ids, verb, given }
      this.#worker.postMessage(request)
      if (this.#asked.size === 0) this.#worker.ref()
      this.#asked.set(request.id, { resolve, reject })
    })
  }

  /** After what was asked before. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    if (this.#ended !== null) return
    const closed = this.call('close')
    this.#ended = new LedgerClosed()
    try {
      await closed
    } finally {
      await this.#worker.terminate()
    }
  }

  #listen(opened: () => void, failed: (error: Error) => void): void {
    this.#worker.on('message', (message: FromThread) => {
      if ('id' in message) this.#answer(message)
      else if ('opened' in message) opened()
      else failed(errorOf(message.failed, this.#path))
    })
    const end = (error: Error) => {
      this.#ended ??= error
      failed(error)
      for (const { reject } of this.#asked.values()) reject(error)
      this.#asked.clear()
    }
    this.#worker.once('error', end)
    this.#worker.once('exit', (code) => end(new Error(`the thread of ${this.#path} ended with ${code}`)))
  }

  #answer(message: Extract<FromThread, { readonly id: number }>): void {
    const asked = this.#asked.get(message.id)
    this.#asked.delete(message.id)
    if (this.#asked.size === 0) this.#worker.unref()
    if ('answer' in message) asked?.resolve(message.answer as never)
    else asked?.reject(errorOf(message.error, this.#path))
  }
}
