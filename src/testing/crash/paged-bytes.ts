const PAGE_BYTES = 4096

interface Page {
  readonly bytes: Uint8Array
  /** Who may write into it; whoever else wants to, copies it first. */
  readonly owner: object
}

/**
 * The bytes of a file, in pages that copies share until one of them writes: a test copies a disk for every crash, and
 * most of it is the same every time.
 */
export class PagedBytes {
  #pages: (Page | undefined)[] = []
  #size = 0
  #owner = {}

  get size(): number {
    return this.#size
  }

  copy(): PagedBytes {
    const copy = new PagedBytes()
    copy.#pages = this.#pages.slice()
    copy.#size = this.#size
    // From now on neither of the two owns the pages there are.
    this.#owner = {}
    return copy
  }

  /** Shorter, or longer by zeros. */
  resize(size: number): void {
    if (size < this.#size) {
      const end = size % PAGE_BYTES
      this.#pages.length = Math.min(this.#pages.length, Math.ceil(size / PAGE_BYTES))
      // Behind the end there are always zeros, so that making it longer needs none.
      const last = (size - end) / PAGE_BYTES
      if (end > 0 && this.#pages[last] !== undefined) this.#writable(last).fill(0, end)
    }
    this.#size = size
  }

  read(position: number, length: number): Uint8Array {
    const end = Math.min(this.#size, position + length)
    const bytes = new Uint8Array(Math.max(0, end - position))
    for (let at = position; at < end; ) {
      const from = at % PAGE_BYTES
      const until = Math.min(PAGE_BYTES, from + end - at)
      const page = this.#pages[(at - from) / PAGE_BYTES]
      if (page !== undefined) bytes.set(page.bytes.subarray(from, until), at - position)
      at += until - from
    }
    return bytes
  }

  /** Makes it longer where need be. */
  write(position: number, bytes: Uint8Array): void {
    const end = position + bytes.length
    for (let at = position; at < end; ) {
      const from = at % PAGE_BYTES
      const until = Math.min(PAGE_BYTES, from + end - at)
      const part = bytes.subarray(at - position, at - position + until - from)
      this.#writable((at - from) / PAGE_BYTES).set(part, from)
      at += until - from
    }
    if (bytes.length > 0 && end > this.#size) this.#size = end
  }

  #writable(index: number): Uint8Array {
    const page = this.#pages[index]
    if (page?.owner === this.#owner) return page.bytes
    const bytes = page === undefined ? new Uint8Array(PAGE_BYTES) : page.bytes.slice()
    this.#pages[index] = { bytes, owner: this.#owner }
    return bytes
  }
}
