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

/** Some 400 MB. A ledger has no such limit. */
const MOST_DOCUMENTS = 8 * 1024 * 1024

/**
 * The last state of every document of a log, in some thirty bytes each: an open-addressed table of 64-bit fingerprints of
 * their ids. That two of eight million documents have the same fingerprint happens once in half a million logs.
 */
export class DocumentTable {
  readonly #most: number
  #size = 0
  #mask = FIRST_PLACES - 1
  #columns = new Columns(FIRST_PLACES)
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
    const { states, times, retries, limits } = this.#columns
    const state = states[place] as number
    if (state === 0) return null
    return {
      kind: 'document',
      tenant_id,
      doc_id,
      state: STATES[state - 1] as DocumentRecord['state'],
      updated_at: times[place] as number,
      adapter: '',
      metadata: EMPTY,
      retry_count: retries[place] as number,
      max_retries: limits[place] as number,
      error_type: null,
      error_message: null,
      etag: '',
    }
  }

  set({ doc_id, state, updated_at, retry_count, max_retries }: DocumentRecord): void {
    let place = this.#find(doc_id)
    if (this.#columns.states[place] === 0) {
      this.#makeRoom()
      place = this.#find(doc_id)
      this.#size++
    }
    const { low, high, states, times, retries, limits } = this.#columns
    low[place] = this.#low
    high[place] = this.#high
    states[place] = STATE_NUMBERS.get(state) as number
    times[place] = updated_at
    retries[place] = retry_count
    limits[place] = max_retries
  }

  /** Where it is, or where it would be. */
  #find(doc_id: string): number {
    this.#fingerprint(doc_id)
    const { low, high, states } = this.#columns
    let place = this.#low & this.#mask
    while (states[place] !== 0 && (low[place] !== this.#low || high[place] !== this.#high)) {
      place = (place + 1) & this.#mask
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

  #makeRoom(): void {
    if (this.#size >= this.#most) {
      throw new Unsupported(
        `more than ${this.#most} documents in one file without a ledger`,
        'Import the log into a ledger instead of writing another file: a ledger has no such limit.',
      )
    }
    const { states, low, high, times, retries, limits } = this.#columns
    if (this.#size < states.length * FULL) return
    const [wantedLow, wantedHigh] = [this.#low, this.#high]
    this.#columns = new Columns(2 * states.length)
    this.#mask = 2 * states.length - 1
    for (let old = 0; old < states.length; old++) {
      if (states[old] === 0) continue
      let place = (low[old] as number) & this.#mask
      while (this.#columns.states[place] !== 0) place = (place + 1) & this.#mask
      this.#columns.low[place] = low[old] as number
      this.#columns.high[place] = high[old] as number
      this.#columns.states[place] = states[old] as number
      this.#columns.times[place] = times[old] as number
      this.#columns.retries[place] = retries[old] as number
      this.#columns.limits[place] = limits[old] as number
    }
    this.#low = wantedLow
    this.#high = wantedHigh
  }
}

/** A state of 0 is a free place. */
class Columns {
  readonly low: Uint32Array
  readonly high: Uint32Array
  readonly states: Uint8Array
  readonly times: Float64Array
  readonly retries: Uint32Array
  readonly limits: Uint32Array

  constructor(places: number) {
    this.low = new Uint32Array(places)
    this.high = new Uint32Array(places)
    this.states = new Uint8Array(places)
    this.times = new Float64Array(places)
    this.retries = new Uint32Array(places)
    this.limits = new Uint32Array(places)
  }
}

function mixed(hash: number): number {
  let h = hash ^ (hash >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
