import type { Written } from './tables.ts'

/** Times at which something written is due. */
export interface DueWrite {
  readonly due: { readonly adds: readonly { readonly due_at: number }[] }
}

/**
 * When something is next due, as far as that is known without asking: whoever keeps time wants to know after every write,
 * and hardly any write makes it earlier. What is known may be too early, when the job that was due has ended since; it is
 * never too late, as long as whatever others write is heard of.
 */
export class NextDue {
  readonly #ask: () => Promise<number | null>
  /** Null when it is not known; infinite when nothing is. */
  #known: number | null = null
  /** Grows with everything that may make an answer old that is on its way. */
  #changes = 0

  constructor(ask: () => Promise<number | null>) {
    this.#ask = ask
  }

  async at(now: number): Promise<number | null> {
    // What should be due by now may have been done: only the database knows.
    if (this.#known !== null && this.#known > now) return Number.isFinite(this.#known) ? this.#known : null
    const changes = this.#changes
    const answer = await this.#ask()
    if (changes === this.#changes) this.#known = answer ?? Number.POSITIVE_INFINITY
    return answer
  }

  wrote({ due }: DueWrite, { owes }: Pick<Written, 'owes'>): void {
    if (owes) {
      this.forget()
      return
    }
    if (due.adds.length === 0) return
    this.#changes++
    if (this.#known === null) return
    for (const { due_at } of due.adds) if (due_at < this.#known) this.#known = due_at
  }

  /** Somebody else has written. */
  forget(): void {
    this.#changes++
    this.#known = null
  }
}
