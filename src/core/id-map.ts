// A map by text, for very many entries of which most were just made. The engine's own map follows three pointers to a key, into
// memory that nobody has looked at for long, and moves everything each time it grows. Here a look-up of what is not there, which
// is what every new record begins with, mostly ends at one place of a table of numbers.
//
// - few entries: the keys are gone through.
// - many: each place of the table has the fingerprint of a key and the number of its entry, and is looked for from the place that
//   the fingerprint names.
// - Texts that were made to have the same fingerprint must not make it slow: what is too far from its place is in an ordinary map.
//   That one is asked only where there was no place: the engine keeps every text that it is asked for in a table of its own.

/** So many keys are gone through faster than a fingerprint is taken. */
const FEW = 8

const FIRST_PLACES = 32

/** Places that are looked at before an entry counts as too far away. */
const MOST_PROBES = 32

/** What is looked for is not there; or it is not near its place, and may be far away. */
const ABSENT = -1
const NOT_NEAR = -2

/** Of a place that was left: whoever looks for something goes on behind it. Entries are counted from 1. */
const LEFT = 0xffffffff

/** The end of a long text is enough: most ids are counted or made by chance there. */
const LOOKED_AT = 8

/** So many of one fingerprint are told apart; others with it count as too far away. */
const MOST_ALIKE = 4

/** In 32 bits: of a text of that length that ends with this. */
function fingerprint(text: string, length = text.length): number {
  let print = length
  for (let i = Math.max(0, text.length - LOOKED_AT); i < text.length; i++)
    print = Math.imul(print ^ text.charCodeAt(i), 0x5bd1e995) ^ (print >>> 15)
  print = Math.imul(print ^ (print >>> 13), 0xc2b2ae35)
  return (print ^ (print >>> 16)) >>> 0
}

export class IdMap<V> {
  #keys: (string | undefined)[] = []
  #values: (V | undefined)[] = []
  /** Entries that nobody has any more. */
  #free: number[] = []
  #size = 0
  /** Two numbers for each place: a fingerprint and an entry. Null as long as there are few. */
  #table: Uint32Array | null = null
  #mask = 0
  /** Places of the table that are taken or were left. */
  #taken = 0
  #far: Map<string, V> | null = null
  /** Some of those had too many like them. That one of these left does not show at its place. */
  #isAnyAlikeFar = false

  /** There will be so many. */
  constructor(expected = 0) {
    if (expected > FEW) this.#rebuild(expected)
  }

  get size(): number {
    return this.#size + (this.#far?.size ?? 0)
  }

  /**
   * @param tail what the key ends with, where that is at hand: the end of a text that was just put together is looked at only
   * after the engine has made all of it anew
   */
  get(key: string, tail = key): V | undefined {
    const entry = this.#find(key, tail)
    if (entry >= 0) return this.#values[entry]
    return this.#mayBeFar(entry) ? this.#far?.get(key) : undefined
  }

  set(key: string, value: V, tail = key): void {
    const entry = this.#find(key, tail)
    if (entry >= 0) this.#values[entry] = value
    else if (this.#isFar(entry, key)) this.#far?.set(key, value)
    else this.#add(key, value, tail)
  }

  /** False when there is one already. */
  add(key: string, value: V, tail = key): boolean {
    const entry = this.#find(key, tail)
    if (entry >= 0 || this.#isFar(entry, key)) return false
    this.#add(key, value, tail)
    return true
  }

  delete(key: string): void {
    const entry = this.#find(key, key)
    if (entry >= 0) {
      if (this.#table !== null) this.#leave(this.#table, entry, fingerprint(key))
      this.#keys[entry] = undefined
      this.#values[entry] = undefined
      this.#free.push(entry)
      this.#size--
    } else if (this.#isFar(entry, key)) this.#far?.delete(key)
    else return
    if (this.size === 0) this.#forget()
  }

  /** Entries may come and go while they are gone through; those that stay are all met. */
  *entries(): Generator<readonly [key: string, value: V]> {
    for (let entry = 0; entry < this.#keys.length; entry++) {
      const key = this.#keys[entry]
      if (key !== undefined) yield [key, this.#values[entry] as V]
    }
    yield* this.#farAway()
  }

  *values(): Generator<V> {
    for (let entry = 0; entry < this.#keys.length; entry++) {
      if (this.#keys[entry] !== undefined) yield this.#values[entry] as V
    }
    for (const [, value] of this.#farAway()) yield value
  }

  forEach(callback: (value: V, key: string) => void): void {
    for (let entry = 0; entry < this.#keys.length; entry++) {
      const key = this.#keys[entry]
      if (key !== undefined) callback(this.#values[entry] as V, key)
    }
    for (const [key, value] of this.#farAway()) callback(value, key)
  }

  /** Some of them may find a place, or go, while they are gone through. */
  *#farAway(): Generator<readonly [key: string, value: V]> {
    for (const key of this.#far?.keys() ?? []) {
      const value = this.get(key)
      if (value !== undefined) yield [key, value]
    }
  }

  #find(key: string, tail: string): number {
    const table = this.#table
    // Few are never far away.
    if (table === null) return this.#keys.indexOf(key)
    const print = fingerprint(tail, key.length)
    const mask = this.#mask
    for (let probe = 0, alike = 0; probe < MOST_PROBES && alike < MOST_ALIKE; probe++) {
      const place = 2 * ((print + probe) & mask)
      const entry = table[place + 1] as number
      if (entry === 0) return ABSENT
      if (table[place] !== print || entry === LEFT) continue
      if (this.#keys[entry - 1] === key) return entry - 1
      alike++
    }
    return NOT_NEAR
  }

  #mayBeFar(found: number): boolean {
    return this.#far !== null && (found === NOT_NEAR || this.#isAnyAlikeFar)
  }

  #isFar(found: number, key: string): boolean {
    return this.#mayBeFar(found) && this.#far?.has(key) === true
  }

  #add(key: string, value: V, tail: string): void {
    if (this.#table === null && this.#size >= FEW) this.#rebuild()
    if (this.#table !== null && 8 * this.#taken >= 5 * (this.#mask + 1)) this.#rebuild()
    const entry = this.#free.pop() ?? this.#keys.length
    if (this.#put(entry, key, value, tail) || entry === this.#keys.length) return
    this.#free.push(entry)
  }

  /** False when it is far away now. */
  #put(entry: number, key: string, value: V, tail: string): boolean {
    if (this.#table !== null && !this.#enter(this.#table, entry, fingerprint(tail, key.length))) {
      this.#far ??= new Map()
      this.#far.set(key, value)
      return false
    }
    this.#keys[entry] = key
    this.#values[entry] = value
    this.#size++
    return true
  }

  /** False when all places near its own are taken, or too many have its fingerprint. */
  #enter(table: Uint32Array, entry: number, print: number): boolean {
    let free = -1
    for (let probe = 0, alike = 0; probe < MOST_PROBES; probe++) {
      const place = 2 * ((print + probe) & this.#mask)
      const there = table[place + 1]
      if ((there === 0 || there === LEFT) && free === -1) free = place
      if (there === 0) break
      if (there !== LEFT && table[place] === print && ++alike === MOST_ALIKE) {
        this.#isAnyAlikeFar = true
        return false
      }
    }
    if (free === -1) return false
    if (table[free + 1] === 0) this.#taken++
    table[free] = print
    table[free + 1] = entry + 1
    return true
  }

  #leave(table: Uint32Array, entry: number, print: number): void {
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const place = 2 * ((print + probe) & this.#mask)
      if (table[place + 1] !== entry + 1) continue
      table[place + 1] = LEFT
      return
    }
  }

  /** Anew, with room for twice as many. */
  #rebuild(entries = this.size): void {
    const before = this.#table
    const far = this.#far
    this.#far = null
    this.#isAnyAlikeFar = false
    let places = FIRST_PLACES
    while (places < 2 * entries) places *= 2
    const table = new Uint32Array(2 * places)
    this.#table = table
    this.#mask = places - 1
    this.#taken = 0
    if (before === null) {
      // As long as there are few, none is free before another one is needed.
      for (const [entry, key] of this.#keys.entries())
        this.#enterOrMove(table, entry, fingerprint(key as string))
      return
    }
    for (let place = 0; place < before.length; place += 2) {
      const entry = before[place + 1] as number
      if (entry !== 0 && entry !== LEFT) this.#enterOrMove(table, entry - 1, before[place] as number)
    }
    // At the end, where whoever goes through all of it meets them.
    for (const [key, value] of far ?? []) this.#put(this.#keys.length, key, value, key)
  }

  #enterOrMove(table: Uint32Array, entry: number, print: number): void {
    if (this.#enter(table, entry, print)) return
    const key = this.#keys[entry] as string
    this.#far ??= new Map()
    this.#far.set(key, this.#values[entry] as V)
    this.#keys[entry] = undefined
    this.#values[entry] = undefined
    this.#free.push(entry)
    this.#size--
  }

  /** There is nothing left: what many took is given back. */
  #forget(): void {
    this.#keys = []
    this.#values = []
    this.#free = []
    this.#table = null
    this.#taken = 0
    this.#far = null
    this.#isAnyAlikeFar = false
  }
}
