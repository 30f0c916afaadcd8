import type { Timer, Timers } from '../../world/timers.ts'
import { JournalLoader, type JournalPlace } from './load-journal.ts'
import { OpenJournal } from './open-journal.ts'

/** How often it looks whether somebody who follows the history has missed something. */
const POLL_MS = 200

/**
 * A read that comes upon a batch while it is being written may see a later one and not this one. By the next look
 * it is there, and what is missing in the same place again is damage.
 */
const LOOKS_BEFORE_DAMAGE = 3

/** A writer cannot be faster for that long. */
const MOST_LOOKS = 1000

/**
 * Reads a ledger's folder beside its writer, or one that nobody can write to because it is damaged. Before every
 * answer it reads on as far as whole batches go; when files that it stands on are gone it starts again from the
 * newest snapshot.
 */
export class JournalReader {
  readonly #place: JournalPlace
  readonly #timers: Timers
  readonly #wake: () => void
  #loader: JournalLoader
  #journal: OpenJournal
  #reading: Promise<void> | null = null
  /** The look that comes after the one under way. */
  #next: Promise<void> | null = null
  #timer: Timer | null = null
  /** Damage that was logged already. */
  #said = ''

  private constructor(place: JournalPlace, loader: JournalLoader, journal: OpenJournal, wake: () => void) {
    this.#place = place
    this.#timers = place.timers
    this.#loader = loader
    this.#journal = journal
    this.#wake = wake
  }

  static async open(place: JournalPlace, wake: () => void): Promise<JournalReader> {
    const loader = await JournalLoader.start(place)
    const reader = new JournalReader(place, loader, await OpenJournal.of(place, loader.loaded), wake)
    if (loader.loaded.damage !== null) await reader.refresh()
    return reader
  }

  get journal(): OpenJournal {
    return this.#journal
  }

  /** Readers that ask at once share one look; but not one that had begun before they asked. */
  refresh(): Promise<void> {
    if (this.#reading === null) return this.#look()
    this.#next ??= this.#reading
      .catch(() => {})
      .then(() => {
        this.#next = null
        return this.#look()
      })
    return this.#next
  }

  /** From now on it looks by itself, for those who follow. */
  poll(): void {
    this.#timer ??= this.#timers.after(POLL_MS, () => {
      this.#timer = null
      this.refresh().then(
        () => this.poll(),
        () => this.poll(),
      )
    })
  }

  async close(): Promise<void> {
    this.#timer?.cancel()
    await this.#journal.image.retire()
  }

  #look(): Promise<void> {
    this.#reading = this.#readOn().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #readOn(): Promise<void> {
    const before = this.#journal.lastSeq
    let missing = ''
    let looks = 0
    for (let look = 1; look <= MOST_LOOKS && looks < LOOKS_BEFORE_DAMAGE; look++) {
      if (look > 1) await this.#timers.turn()
      if (!(await this.#loader.goOn())) await this.#startAgain()
      const { damage } = this.#loader.loaded
      if (damage === null || damage.message === this.#said) break
      looks = damage.message === missing ? looks + 1 : 1
      missing = damage.message
    }
    this.#sayDamage()
    this.#journal = await OpenJournal.of(this.#place, this.#loader.loaded, this.#journal.damagedSnapshots)
    if (this.#journal.lastSeq !== before) this.#wake()
  }

  /** Once: whoever asks again and again need not be told as often. */
  #sayDamage(): void {
    const { damage } = this.#loader.loaded
    if (damage === null || damage.message === this.#said) return
    this.#said = damage.message
    this.#place.logger.error({ code: damage.code, ...damage.place }, damage.message)
  }

  async #startAgain(): Promise<void> {
    const { image } = this.#journal
    this.#loader = await JournalLoader.start(this.#place)
    await image.retire()
  }
}
