import type { Clock } from '../../../world/clock.ts'
import { heapBytes } from '../../../world/heap.ts'
import type { Timer, Timers } from '../../../world/timers.ts'
import type { Known } from './known.ts'
import type { Tail } from './tail.ts'

/** How often it is looked whether there is time to put something where it is found. */
const LOOK_MS = 50

/** So few writes meanwhile, of so few characters, leave time for that: whoever writes again and again waits for the same disk. */
const FEW_WRITES = 8
const FEW_CHARACTERS = 128 * 1024

/** Put in its place at once where somebody waits for it. */
const AT_ONCE_WHEN_WAITED_FOR = 1024 * 1024

/** However much comes meanwhile: what is put there at once has to fit into the memory of whoever does so. */
const MOST_AT_ONCE = 4 * 1024 * 1024

/**
 * Where there is much, some is put in its place between the writes: the more there is, the more of it, up to this many times what
 * comes meanwhile.
 */
const MOST_TIMES_WRITTEN = 2

/** What is in the tail is kept in mind: what a process has room for, so many times over. */
const PARTS_OF_HEAP = 16

/** Whoever looks at what is in its place waits until all of it is: while somebody does now and then, little is left to be put there. */
const LOOKS_FOR_MS = 60_000
const LITTLE_CHARACTERS = 4 * 1024 * 1024

/** Whoever closes a ledger does not wait longer than this: the next one who opens it goes on. */
const LONGEST_AT_CLOSE_MS = 3000

/**
 * Has what is in the tail put where it is found: a little at a time while there is time for it, more when there is much, and when
 * there is too much nothing is added before some of it is in its place.
 */
export class Folding {
  readonly #tail: Tail
  readonly #timers: Timers
  readonly #clock: Clock
  readonly #known: () => Known | null
  #bound = 0
  #timer: Timer | null = null
  /** Characters, and writes, since it was last looked. */
  #written = 0
  #writes = 0
  #running: Promise<void> | null = null
  /** How often somebody said what was put in its place. */
  #answers = 0
  /** What was put there, and may be in the tail again after a crash. */
  #unsure: { readonly known: Known; readonly seq: number; readonly answer: number } | null = null
  #lookedAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(tail: Tail, { timers, clock }: { timers: Timers; clock: Clock }, known: () => Known | null) {
    this.#tail = tail
    this.#timers = timers
    this.#clock = clock
    this.#known = known
  }

  /** Something is sent, and says so when it is durable. */
  sending(): number {
    return this.#answers
  }

  /** So many characters were added to the tail. @param sent what `sending` said of them */
  appended(characters: number, sent: number): void {
    // A database makes things durable in the order in which they were done.
    if (this.#unsure !== null && this.#unsure.answer <= sent) {
      this.#unsure.known.folded(this.#unsure.seq)
      this.#unsure = null
    }
    this.#written += characters
    this.#writes++
    this.#lookLater()
  }

  /** Somebody looks at what is in its place. */
  looked(): void {
    this.#lookedAt = this.#clock.now()
  }

  /** Resolves when there is room for more, or nobody can make any; null when there is. */
  room(): Promise<void> | null {
    return this.#isTooMuch ? this.#makeRoom() : null
  }

  /** A good deal of what is in the tail is where it is found when it resolves, and stays there. */
  async some(): Promise<void> {
    await this.#some(MOST_AT_ONCE)
  }

  /** Everything that is in the tail now is where it is found when it resolves. */
  async all(): Promise<void> {
    for (let isAll = false; !isAll; ) isAll = await this.#some(AT_ONCE_WHEN_WAITED_FOR)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    if (this.#known()?.hasTail !== true) return
    const start = this.#clock.now()
    for (let isAll = false; !isAll && this.#clock.now() - start < LONGEST_AT_CLOSE_MS; )
      isAll = await this.#some(AT_ONCE_WHEN_WAITED_FOR)
  }

  #lookLater(): void {
    if (this.#isClosed) return
    this.#timer ??= this.#timers.after(LOOK_MS, () => {
      this.#timer = null
      this.#look()
    })
  }

  #look(): void {
    // It looks again afterwards, at all that came meanwhile.
    if (this.#running !== null || this.#isClosed) return
    const { atOnce } = this.#tail
    const written = this.#written
    const hasTime = this.#hasTime
    this.#written = 0
    this.#writes = 0
    if (hasTime) void this.#while(() => this.#hasTime, atOnce)
    else if (this.#isMuch) {
      const characters = Math.min(MOST_AT_ONCE, this.#timesWritten * written)
      void this.#while(once(), Math.max(atOnce, characters), true)
    } else this.#lookLater()
  }

  async #makeRoom(): Promise<void> {
    while (this.#isTooMuch && !this.#isClosed) {
      const before = this.#characters
      await this.#running
      await this.#while(() => this.#isTooMuch, AT_ONCE_WHEN_WAITED_FOR, true)
      if (this.#characters >= before) return
    }
  }

  get #hasTime(): boolean {
    return this.#writes <= FEW_WRITES && this.#written <= FEW_CHARACTERS
  }

  get #most(): number {
    if (this.#bound === 0) this.#bound = Math.min(this.#tail.most, heapBytes() / PARTS_OF_HEAP)
    return this.#bound
  }

  get #much(): number {
    const isLookedAt = this.#clock.now() - this.#lookedAt < LOOKS_FOR_MS
    return isLookedAt ? LITTLE_CHARACTERS : (this.#most * this.#tail.much) / this.#tail.most
  }

  get #isMuch(): boolean {
    return this.#characters > this.#much
  }

  get #timesWritten(): number {
    const part = (this.#characters - this.#much) / (this.#most - this.#much)
    return MOST_TIMES_WRITTEN * Math.min(1, part)
  }

  /** As much comes as is put in its place: it goes on at once, rather than after a while. */
  get #isPressing(): boolean {
    return this.#isMuch && this.#timesWritten > 1
  }

  get #isTooMuch(): boolean {
    return this.#characters > 0 && this.#characters > this.#most
  }

  get #characters(): number {
    return this.#known()?.characters ?? 0
  }

  #while(goesOn: () => boolean, characters: number, mayReturn = false): Promise<void> {
    this.#running ??= this.#run(goesOn, characters, mayReturn).then((isDone) => {
      this.#running = null
      if (this.#known()?.hasTail !== true) return
      if (isDone && this.#isPressing) this.#look()
      else this.#lookLater()
    })
    return this.#running
  }

  /** False when something is wrong: whoever reads or writes next is told of it. */
  async #run(goesOn: () => boolean, characters: number, mayReturn: boolean): Promise<boolean> {
    try {
      for (let isAll = false; !isAll; ) {
        if (this.#known() === null || this.#isClosed || !goesOn()) break
        isAll = await this.#some(characters, mayReturn)
      }
      return true
    } catch {
      return false
    }
  }

  async #some(characters: number, may = false): Promise<boolean> {
    const known = this.#known()
    const { seq, isAll, mayReturn = false } = await this.#tail.fold(characters, may)
    const answer = ++this.#answers
    if (!mayReturn) known?.folded(seq)
    else if (known !== null) {
      known.leaves(seq)
      this.#unsure = { known, seq, answer }
    }
    return isAll
  }
}

/** True when it is asked for the first time. */
function once(): () => boolean {
  let asked = 0
  return () => asked++ === 0
}
