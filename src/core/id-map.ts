// A map by text, for very many entries of which most were just made. The engine's own map follows three pointers to a key, into
// memory that nobody has looked at for long, and moves everything each time it grows. Here a look-up of what is not there, which
// is what every new record begins with, mostly ends at one place of a table of numbers.
//
// - few entries: the keys are gone through.
// - many: each place of a table has a byte of the fingerprint of a key, and the number of its entry is kept apart. A key is looked for
//   from the place that its fingerprint names. The bytes of very many are still near, when neither their entries nor their keys are.
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

/** A place that nobody has, or that was left: whoever looks for something goes on behind it. What is taken has a greater byte. */
const FREE = 0
const LEFT = 1
const LEAST_BYTE = 2

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
  /** Null as long as there are few. */
  #table: Table | null = null
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
    const entry = this.#find(key, this.#printOf(key, tail))
    if (entry >= 0) return this.#values[entry]
    return this.#mayBeFar(entry) ? this.#far?.get(key) : undefined
  }

  set(key: string, value: V, tail = key): void {
    const print = this.#printOf(key, tail)
    const entry = this.#find(key, print)
    if (entry >= 0) this.#values[entry] = value
    else if (this.#isFar(entry, key)) this.#far?.set(key, value)
    else this.#add(key, value, print, tail)
  }

  /** False when there is one already. */
  add(key: string, value: V, tail = key): boolean {
    const print = this.#printOf(key, tail)
    const entry = this.#find(key, print)
    if (entry >= 0 || this.#isFar(entry, key)) return false
    this.#add(key, value, print, tail)
    return true
  }

  /** The same of what is known not to be there, without looking for it. */
  addNew(key: string, value: V, tail = key): void {
    this.#add(key, value, this.#printOf(key, tail), tail)
  }

  delete(key: string): void {
    const entry = this.#find(key, this.#printOf(key, key))
    if (entry >= 0) {
      this.#table?.leave(entry)
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
    if (this.#far !== null) for (const [key, value] of this.#farAway()) callback(value, key)
  }

  /** Some of them may find a place, or go, while they are gone through. */
  *#farAway(): Generator<readonly [key: string, value: V]> {
    for (const key of this.#far?.keys() ?? []) {
      const value = this.get(key)
      if (value !== undefined) yield [key, value]
    }
  }

  /** Few are gone through without one. */
  #printOf(key: string, tail: string): number {
    return this.#table === null ? 0 : fingerprint(tail, key.length)
  }

  #find(key: string, print: number): number {
    const table = this.#table
    // Few are never far away.
    if (table === null) return this.#keys.indexOf(key)
    const { bytes, entries, prints } = table
    const byte = byteOf(print)
    const mask = bytes.length - 1
    for (let probe = 0, alike = 0; probe < MOST_PROBES && alike < MOST_ALIKE; probe++) {
      const place = (print + probe) & mask
      const there = bytes[place]
      if (there === FREE) return ABSENT
      if (there !== byte) continue
      const entry = entries[place] as number
      if (prints[entry] !== print) continue
      if (this.#keys[entry] === key) return entry
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

  #add(key: string, value: V, before: number, tail: string): void {
    let print = before
    if (this.#table === null ? this.#size >= FEW : this.#table.isFull) {
      this.#rebuild()
      print = this.#printOf(key, tail)
    }
    const entry = this.#free.pop() ?? this.#keys.length
    const isNear = this.#put(entry, key, value, print)
    if (!isNear && entry < this.#keys.length) this.#free.push(entry)
  }

  /** False when it is far away now. */
  #put(entry: number, key: string, value: V, print: number): boolean {
    if (this.#table !== null && !this.#enter(this.#table, entry, print)) {
      this.#far ??= new Map()
      this.#far.set(key, value)
      return false
    }
    this.#keys[entry] = key
    this.#values[entry] = value
    this.#size++
    return true
  }

  #enter(table: Table, entry: number, print: number): boolean {
    const found = table.enter(entry, print)
    if (found === 'alike') this.#isAnyAlikeFar = true
    return found === 'entered'
  }

  /** Anew, with room for twice as many. */
  #rebuild(entries = this.size): void {
    const before = this.#table
    const far = this.#far
    this.#far = null
    this.#isAnyAlikeFar = false
    const table = new Table(entries, this.#keys.length + (far?.size ?? 0))
    this.#table = table
    // By number: there are very many, and pairs would be made of all of them.
    for (let entry = 0; entry < this.#keys.length; entry++) {
      const key = this.#keys[entry]
      if (key === undefined) continue
      const print = before === null ? fingerprint(key) : (before.prints[entry] as number)
      if (!this.#enter(table, entry, print)) this.#moveAway(entry, key)
    }
    // At the end, where whoever goes through all of it meets them.
    for (const [key, value] of far ?? []) this.#put(this.#keys.length, key, value, fingerprint(key))
  }

  #moveAway(entry: number, key: string): void {
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
    this.#far = null
    this.#isAnyAlikeFar = false
  }
}

/** Where entries are found by their fingerprints. */
class Table {
  /** A byte for each place. */
  readonly bytes: Uint8Array
  /** The entry that has a place. */
  readonly entries: Uint32Array
  /** The fingerprint of an entry. */
  readonly prints: Uint32Array
  /** So many places may be taken, or left. */
  readonly #most: number
  #taken = 0

  /** @param numbers as many as entries may have by now, of which some are nobody's */
  constructor(entries: number, numbers: number) {
    let places = FIRST_PLACES
    while (places < 2 * entries) places *= 2
    this.#most = (places / 8) * 5
    this.bytes = new Uint8Array(places)
    this.entries = new Uint32Array(places)
    this.prints = new Uint32Array(Math.max(numbers, this.#most))
  }

  get isFull(): boolean {
    return this.#taken >= this.#most
  }

  /** Not when all places near its own are taken, or too many have its fingerprint. */
  enter(entry: number, print: number): 'entered' | 'full' | 'alike' {
    const { bytes, entries, prints } = this
    const byte = byteOf(print)
    const mask = bytes.length - 1
    let free = -1
    for (let probe = 0, alike = 0; probe < MOST_PROBES; probe++) {
      const place = (print + probe) & mask
      const there = bytes[place] as number
      if (there < LEAST_BYTE && free === -1) free = place
      if (there === FREE) break
      if (there === byte && prints[entries[place] as number] === print && ++alike === MOST_ALIKE)
        return 'alike'
    }
    if (free === -1) return 'full'
    if (bytes[free] === FREE) this.#taken++
    bytes[free] = byte
    entries[free] = entry
    prints[entry] = print
    return 'entered'
  }

  leave(entry: number): void {
    const { bytes, entries, prints } = this
    const mask = bytes.length - 1
    const print = prints[entry] as number
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const place = (print + probe) & mask
      if ((bytes[place] as number) < LEAST_BYTE || entries[place] !== entry) continue
      bytes[place] = LEFT
      return
    }
  }
}

function byteOf(print: number): number {
  return Math.max(LEAST_BYTE, print >>> 24)
}
