import type { DocumentRecord } from '../../core/document/record.ts'
import { EMPTY } from '../../core/json.ts'
import { statesOf } from '../../core/machine.ts'
import { documentMachine } from '../../core/machines/document.ts'
import { Unsupported } from '../../errors/input-errors.ts'

const STATES = statesOf(documentMachine)
const STATE_NUMBERS = new Map(STATES.map((state, index) => [state, index + 1]))

const FIRST_PLACES = 1 << 12

/** One in four places stays free, or looking would take long. */
const FULL = 0.75

/** Half a gigabyte. A ledger has no such limit. */
const MOST_DOCUMENTS = 8 * 1024 * 1024

/** A place has eight numbers of 32 bits side by side, so that it is fetched from memory at once; two of them are a time. */
const STRIDE_BITS = 3
const STRIDE = 1 << STRIDE_BITS
const LOW = 0
const HIGH = 1
const TIME = 2
const STATE = 4
const RETRIES = 5
const LIMIT = 6

/**
 * The last state of every document of a log, in 43 to 85 bytes each: an open-addressed table of 64-bit fingerprints of
 * their ids. That two of eight million documents have the same fingerprint happens once in half a million logs.
 */
export class DocumentTable {
  readonly #most: number
  #size = 0
  #places = new Places(FIRST_PLACES)
  // The fingerprint that was made last.
  #low = 0
  #high = 0

  constructor(most = MOST_DOCUMENTS) {
    this.#most = most
  }

  get size(): number {
    return this.#size
  }

  /** What is known of a document: all that the next transition builds on. */
  get(tenant_id: string, doc_id: string): DocumentRecord | null {
    const place = this.#find(doc_id)
    const { numbers, times } = this.#places
    const state = numbers[place + STATE] as number
    if (state === 0) return null
    return {
      kind: 'document',
      tenant_id,
      doc_id,
      state: STATES[state - 1] as DocumentRecord['state'],
      updated_at: times[(place + TIME) >> 1] as number,
      adapter: '',
      metadata: EMPTY,
      retry_count: (numbers[place + RETRIES] as number) >>> 0,
      max_retries: (numbers[place + LIMIT] as number) >>> 0,
      error_type: null,
      error_message: null,
      etag: '',
    }
  }

  set({ doc_id, state, updated_at, retry_count, max_retries }: DocumentRecord): void {
    let place = this.#find(doc_id)
    if (this.#places.numbers[place + STATE] === 0) {
      if (this.#makeRoom()) place = this.#find(doc_id)
      this.#size++
    }
    const { numbers, times } = this.#places
    numbers[place + LOW] = this.#low
    numbers[place + HIGH] = this.#high
    numbers[place + STATE] = STATE_NUMBERS.get(state) as number
    numbers[place + RETRIES] = retry_count
    numbers[place + LIMIT] = max_retries
    times[(place + TIME) >> 1] = updated_at
  }

  /** Where it is, or where it would be. */
  #find(doc_id: string): number {
    this.#fingerprint(doc_id)
    const { numbers, mask } = this.#places
    let place = (this.#low << STRIDE_BITS) & mask
    while (
      numbers[place + STATE] !== 0 &&
      (numbers[place + LOW] !== this.#low || numbers[place + HIGH] !== this.#high)
    ) {
      place = (place + STRIDE) & mask
    }
    return place
  }

  /** Two hashes of 32 bits, mixed as MurmurHash does it. */
  #fingerprint(text: string): void {
    let a = 0x9e3779b9 ^ text.length
    let b = 0x85ebca6b
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      a = Math.imul(a ^ code, 0x5bd1e995)
      a ^= a >>> 15
      b = Math.imul(b ^ code, 0xcc9e2d51)
      b = (b << 13) | (b >>> 19)
    }
    this.#low = mixed(a ^ Math.imul(b, 0x27d4eb2f))
    this.#high = mixed(b ^ Math.imul(a, 0x165667b1))
  }

  /** True when everything is somewhere else now. */
  #makeRoom(): boolean {
    if (this.#size >= this.#most) {
      throw new Unsupported(
        `more than ${this.#most} documents in one file without a ledger`,
        'Import the log into a ledger instead of writing another file: a ledger has no such limit.',
      )
    }
    const { numbers, times, count } = this.#places
    if (this.#size < count * FULL) return false
    const larger = new Places(2 * count)
    for (let old = 0; old < numbers.length; old += STRIDE) {
      if (numbers[old + STATE] === 0) continue
      let place = ((numbers[old + LOW] as number) << STRIDE_BITS) & larger.mask
      while (larger.numbers[place + STATE] !== 0) place = (place + STRIDE) & larger.mask
      larger.numbers.set(numbers.subarray(old, old + STRIDE), place)
      larger.times[(place + TIME) >> 1] = times[(old + TIME) >> 1] as number
    }
    this.#places = larger
    return true
  }
}

/** A state of 0 is a free place. */
class Places {
  readonly count: number
  readonly mask: number
  readonly numbers: Int32Array
  readonly times: Float64Array

  constructor(count: number) {
    const memory = new ArrayBuffer(count * STRIDE * Int32Array.BYTES_PER_ELEMENT)
    this.count = count
    this.mask = count * STRIDE - 1
    this.numbers = new Int32Array(memory)
    this.times = new Float64Array(memory)
  }
}

function mixed(hash: number): number {
  let h = hash ^ (hash >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}
