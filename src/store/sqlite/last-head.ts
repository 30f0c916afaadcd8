import type { TailHead } from './tail.ts'

/**
 * The head as the last write of a connection left it. As long as no other connection has written, nor this one anything else, it is
 * still that, and need not be read before the next one.
 */
export class LastHead {
  #head: TailHead | null = null
  /** As a transaction has it that is not committed yet. */
  #next: TailHead | null = null
  #version: number | null = null

  /** A transaction that writes. */
  began(version: number): void {
    if (version !== this.#version) this.#head = null
    this.#version = version
    this.#next = null
  }

  /** Null when it has to be read. Within a transaction that writes. */
  get known(): TailHead | null {
    return this.#next ?? this.#head
  }

  /** What is in the tail is changed in some other way than by a write that says so. */
  forget(): void {
    this.#head = null
    this.#next = null
  }

  wrote(head: TailHead): void {
    this.#next = head
  }

  committed(): void {
    this.#head = this.#next
  }
}
