import { isAscii } from 'node:buffer'
import type { DocumentRecord } from '../../../core/document/record.ts'
import { EMPTY, type JsonObject } from '../../../core/json.ts'
import type { DocumentState } from '../../../core/machines/document.ts'
import { keyText, USUAL_TENANT } from './key-text.ts'
import { BETWEEN_LINES, linesOf, parseRecordLine } from './record-line.ts'
import type { Found } from './tables.ts'

/**
 * Opening a ledger reads every open document, and there may be millions: this is where that time goes. Nearly all of
 * them look alike, so they are read by their known shape,
 *
 *   "id":{"state":"…","updated_at":1735787045.678,"adapter":"…","metadata":{…},"etag":"…"},
 *
 * which is twice as fast as parsing them as JSON. A line of any other shape is parsed as JSON after all.
 */
export function readDocuments(block: Buffer): Found<'states'>[] {
  if (!isAscii(block)) return linesOf(block.toString('utf8')).map((line) => parseRecordLine('states', line))
  return new DocumentReader(block).all()
}

const QUOTE = 34
const COMMA = 44
const POINT = 46
const ZERO = 48
const NINE = 57
const BACKSLASH = 92
const BRACE = 125

const STATE = '":{"state":"'
const UPDATED_AT = '","updated_at":'
const ADAPTER = ',"adapter":"'
const METADATA = '","metadata":'
const ETAG = ',"etag":"'
const END = '"}'

/** V8 copies strings up to this length when it cuts them out. */
const COPIED_CHARS = 12

/** So many digits are exact whatever they are divided by. */
const EXACT_DIGITS = 15
const POWERS = Array.from({ length: EXACT_DIGITS + 1 }, (_, i) => 10 ** i)

class DocumentReader {
  readonly #bytes: Buffer
  readonly #text: string
  #at = 0
  /** Those of the document before: most share them, and then nothing has to be made. */
  #state = ''
  #adapter = ''
  #tenant = USUAL_TENANT
  /** How the keys of that tenant start, and how its documents end. */
  #start = '"'
  #end = END

  constructor(block: Buffer) {
    this.#bytes = block
    this.#text = block.toString('latin1')
  }

  all(): Found<'states'>[] {
    const found: Found<'states'>[] = []
    while (this.#at < this.#text.length) {
      const start = this.#at
      const value = this.#document()
      if (value === null) found.push(this.#parsed(start))
      else found.push({ tenant_id: this.#tenant, id: value.doc_id, value })
    }
    return found
  }

  /** Null when it does not have the usual shape. */
  #document(): DocumentRecord | null {
    const doc_id = this.#id()
    if (doc_id === null || !this.#passes(STATE)) return null
    const state = this.#word(this.#state)
    if (state === null || !this.#passes(UPDATED_AT)) return null
    this.#state = state
    const updated_at = this.#number()
    if (updated_at === null || !this.#passes(ADAPTER)) return null
    const adapter = this.#word(this.#adapter)
    if (adapter === null || !this.#passes(METADATA)) return null
    this.#adapter = adapter
    const metadata = this.#metadata()
    if (metadata === null || !this.#passes(ETAG)) return null
    const etag = this.#word('')
    if (etag === null || !this.#passes(this.#end)) return null
    this.#at += BETWEEN_LINES.length
    return {
      kind: 'document',
      tenant_id: this.#tenant,
      doc_id,
      state: state as DocumentState,
      updated_at,
      adapter,
      metadata,
      retry_count: 0,
      max_retries: 3,
      error_type: null,
      error_message: null,
      etag,
    }
  }

  /** By way of JSON. Lines of the same tenant may follow. */
  #parsed(start: number): Found<'states'> {
    const end = this.#endOfLine(start)
    const found = parseRecordLine('states', this.#text.slice(start, end))
    this.#at = end + BETWEEN_LINES.length
    this.#tenant = found.tenant_id
    const isUsual = found.tenant_id === USUAL_TENANT
    this.#start = isUsual ? '"' : keyText(found.tenant_id, '').slice(0, -1)
    this.#end = isUsual ? END : `","tenant_id":${JSON.stringify(found.tenant_id)}}`
    return found
  }

  #id(): string | null {
    if (!this.#passes(this.#start)) return null
    return this.#newWord()
  }

  #word(likely: string): string | null {
    if (this.#text.startsWith(likely, this.#at) && this.#bytes[this.#at + likely.length] === QUOTE) {
      this.#at += likely.length
      return likely
    }
    return this.#newWord()
  }

  #newWord(): string | null {
    const start = this.#at
    const end = this.#endOfWord()
    if (end === -1) return null
    this.#at = end
    // A long string cut out of another one keeps all of that in memory; a short one is copied, which is faster.
    if (end - start <= COPIED_CHARS) return this.#text.slice(start, end)
    return this.#bytes.toString('latin1', start, end)
  }

  /** Where the next quote is; -1 when something escaped comes before it. */
  #endOfWord(): number {
    for (let at = this.#at; at < this.#bytes.length; at++) {
      const byte = this.#bytes[at]
      if (byte === QUOTE) return at
      if (byte === BACKSLASH) return -1
    }
    return -1
  }

  /** Whole numbers and fractions with few digits; digits over a power of ten are rounded as a parser rounds. */
  #number(): number | null {
    const start = this.#at
    let digits = 0
    let point = -1
    let at = start
    for (; at < this.#bytes.length; at++) {
      const byte = this.#bytes[at] as number
      if (byte >= ZERO && byte <= NINE) digits = digits * 10 + (byte - ZERO)
      else if (byte === POINT && point === -1) point = at
      else break
    }
    if (this.#bytes[at] !== COMMA || at === start || at - start > EXACT_DIGITS) return null
    this.#at = at
    return point === -1 ? digits : digits / (POWERS[at - point - 1] as number)
  }

  #metadata(): JsonObject | null {
    if (this.#passes('{}')) return EMPTY
    const start = this.#at
    // Nothing but the tenant comes after the etag, and inside a string the quotes would have backslashes. What may
    // come before the etag, other than the metadata, does not end with a brace.
    const end = this.#text.lastIndexOf(ETAG, this.#endOfLine(start))
    if (end <= start || this.#bytes[end - 1] !== BRACE) return null
    this.#at = end
    return JSON.parse(this.#text.slice(start, end))
  }

  #passes(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false
    this.#at += expected.length
    return true
  }

  /** Where what stands between lines begins. */
  #endOfLine(from: number): number {
    const end = this.#text.indexOf(BETWEEN_LINES, from)
    return end === -1 ? this.#text.length : end
  }
}
