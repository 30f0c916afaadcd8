import type { Written } from './tables.ts'

/** Times at which something written is due. */
export interface DueWrite {
  readonly due: { readonly adds: readonly { readonly due_at: number }[] }
  readonly strides: readonly { readonly due: number | null }[]
}

/** The first of them; null when there are none. */
export function firstDue({ due, strides }: DueWrite): number | null {
  let first: number | null = null
  const see = (at: number | null) => {
    if (at !== null && (first === null || at < first)) first = at
  }
  for (const { due_at } of due.adds) see(due_at)
  for (const run of strides) see(run.due)
  return first
}

/**
 * When something is next due, as far as that is known without asking: whoever keeps time wants to know after every write,
 * and hardly any write makes it earlier. What is known may be too early, when the job that was due has ended since; it is
 * never too late, as long as whatever others write is heard of.
 */
export class NextDue {
  readonly #ask: () => Promise<number | null>
  readonly #askOrEarlier: () => Promise<number | null>
  /** Null when it is not known; infinite when nothing is. */
  #known: number | null = null
  /** Grows with everything that may make an answer old that is on its way. */
  #changes = 0

  /** @param askOrEarlier the same, or the time of something that is done by now: less to ask */
  constructor(ask: () => Promise<number | null>, askOrEarlier = ask) {
    this.#ask = ask
    this.#askOrEarlier = askOrEarlier
  }

  async at(now: number): Promise<number | null> {
    // What should be due by now may have been done: only the database knows.
    if (this.#known !== null && this.#known > now) return Number.isFinite(this.#known) ? this.#known : null
    const changes = this.#changes
    const known = await this.#askOrEarlier()
    const answer = known === null || known > now ? known : await this.#ask()
    if (changes === this.#changes) this.#known = answer ?? Number.POSITIVE_INFINITY
    return answer
  }

  wrote(write: DueWrite, { owes }: Pick<Written, 'owes'>): void {
    if (owes) {
      this.forget()
      return
    }
    const first = firstDue(write)
    if (first === null) return
    this.#changes++
    if (this.#known !== null && first < this.#known) this.#known = first
  }

  /** Somebody else has written. */
  forget(): void {
    this.#changes++
    this.#known = null
  }
}
