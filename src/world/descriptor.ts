import { close } from 'node:fs'

/**
 * An open file. Its number becomes another file's when it is closed, so it is given to nobody from then on, and closed when
 * nothing is under way any more that was given it.
 */
export class Descriptor {
  readonly #fd: number
  #underWay = 0
  #closed: PromiseWithResolvers<void> | null = null

  constructor(fd: number) {
    this.#fd = fd
  }

  /** For what is over when it returns. */
  get now(): number {
    if (this.#closed !== null) throw new Error('The file is closed')
    return this.#fd
  }

  /** For what takes a callback, and is over when that is called. */
  async during<T>(
    begin: (fd: number, callback: (error: Error | null, found: T) => void) => void,
  ): Promise<T> {
    const fd = this.now
    this.#underWay++
    try {
      return await new Promise((resolve, reject) =>
        begin(fd, (error, found) => (error === null ? resolve(found) : reject(error))),
      )
    } finally {
      this.#underWay--
      if (this.#underWay === 0 && this.#closed !== null) this.#close(this.#closed)
    }
  }

  close(): Promise<void> {
    if (this.#closed === null) {
      this.#closed = Promise.withResolvers()
      if (this.#underWay === 0) this.#close(this.#closed)
    }
    return this.#closed.promise
  }

  #close({ resolve, reject }: PromiseWithResolvers<void>): void {
    close(this.#fd, (error) => (error === null ? resolve() : reject(error)))
  }
}
