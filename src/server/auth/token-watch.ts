import { SECOND_MS } from '../../core/time.ts'
import { tokenProblem } from '../../core/token/record.ts'
import type { Tokens } from '../../ledger/tokens.ts'
import { RecentlyUsed } from '../../store/recently-used.ts'
import type { Timer } from '../../world/timers.ts'
import type { World } from '../../world/world.ts'

/** How long a token that somebody revoked elsewhere may go on to be of use. */
const LOOK_MS = 5 * SECOND_MS

/** Tokens that are looked after; those that came in least lately go first. */
const MOST_TOKENS = 10_000

export interface TokenWatchParts {
  readonly tokens: Pick<Tokens, 'get' | 'onRevoked'>
  readonly world: Pick<World, 'clock' | 'timers' | 'logger'>
  /** Whatever it opened is to be closed. */
  readonly onEnded: (token_id: string) => void
}

/**
 * Sessions and streams live longer than the request that opened them. This notices when the token that they came in by is
 * no longer good: at once when it is revoked here, and within seconds when it expires or is revoked elsewhere.
 */
export class TokenWatch {
  readonly #parts: TokenWatchParts
  readonly #ids = new RecentlyUsed<string, true>(MOST_TOKENS)
  #timer: Timer | null = null
  #unsubscribe: (() => void) | null = null

  constructor(parts: TokenWatchParts) {
    this.#parts = parts
  }

  start(): void {
    this.#unsubscribe = this.#parts.tokens.onRevoked((token_id) => this.#end(token_id))
    this.#later()
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = null
    this.#unsubscribe?.()
  }

  /** Somebody came in by it. */
  add(token_id: string): void {
    this.#ids.set(token_id, true)
  }

  #later(): void {
    this.#timer = this.#parts.world.timers.after(LOOK_MS, () => {
      void this.#look().finally(() => {
        if (this.#timer !== null) this.#later()
      })
    })
  }

  async #look(): Promise<void> {
    const { tokens, world } = this.#parts
    for (const token_id of [...this.#ids.keys()]) {
      try {
        const record = await tokens.get(token_id)
        if (record === null || tokenProblem(record, world.clock.now()) !== null) this.#end(token_id)
      } catch (error) {
        // Who cannot be asked about stays for now: the ledger is down for everybody.
        world.logger.warn({ err: error, token_id }, 'Whether a token is still good could not be found out')
        return
      }
    }
  }

  #end(token_id: string): void {
    this.#ids.delete(token_id)
    this.#parts.onEnded(token_id)
  }
}
