import type { RequestIdentity } from '../core/idempotency.ts'
import type { Json, JsonObject } from '../core/json.ts'

// Canonical JSON by RFC 8785 as bytes, for hashing: of plain JSON, without its null fields. Every request is hashed, so
// the bytes are written one by one into memory that is used again and again; strings put together from as many parts would
// be garbage at once.

const FIRST_BYTES = 16 * 1024

/** What an unusually large request took is not kept. */
const MOST_KEPT_BYTES = 1024 * 1024

/** Most bytes that a character can take, in quotes and escaped: `\u0000`. */
const BYTES_PER_CHARACTER = 6

/** A number or a word, and what stands before and after a value. There is always room for it at the end of what is written. */
const ROOM = 64

/** More fields than this are sorted faster by the engine. */
const FEW = 16

const QUOTE = 0x22
const COMMA = 0x2c
const DIGIT_0 = 0x30
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const FIRST_PRINTABLE = 0x20
const LAST_PRINTABLE = 0x7e

let bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
let end = 0

/** What `use` makes of the bytes, which are gone after that; null when the value has no canonical form. */
export function withCanonicalBytes<T>(value: Json, use: (bytes: Buffer) => T): T | null {
  end = 0
  return used(writeValue(value), use)
}

/** The same of what makes a request the same request. Its fields come in their order, so nothing is sorted. */
export function withIdentityBytes<T>(request: RequestIdentity, use: (bytes: Buffer) => T): T | null {
  end = 0
  // Fields that are null are left out. These never are; whoever has such a request is served by the library.
  const isCanonical =
    request.input_ref !== null &&
    request.output_ref !== null &&
    writeNamed('{"input_ref":', request.input_ref) &&
    writeNamed(',"output_ref":', request.output_ref) &&
    (request.payload === null || writeNamed(',"payload":', request.payload)) &&
    writeNamed(',"request_type":', request.request_type) &&
    writeNamed(',"schema_version":', request.schema_version) &&
    writeNamed(',"tenant_id":', request.tenant_id)
  makeRoom(ROOM)
  bytes[end++] = CLOSE_OBJECT
  return used(isCanonical, use)
}

function writeNamed(name: string, value: Json): boolean {
  makeRoom(ROOM)
  writePlain(name)
  return writeValue(value)
}

function used<T>(isCanonical: boolean, use: (bytes: Buffer) => T): T | null {
  const result = isCanonical ? use(bytes.subarray(0, end)) : null
  if (bytes.length > MOST_KEPT_BYTES) bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  return result
}
/** All of them answer false when there is no canonical form. */
function writeValue(value: Json): boolean {
  if (typeof value === 'string') return writeText(value)
  makeRoom(2 * ROOM)
  if (typeof value === 'number') writeNumber(value)
  else if (typeof value !== 'object' || value === null) writePlain(String(value))
  else return Array.isArray(value) ? writeList(value) : writeObject(value as JsonObject)
  return true
}

function writeList(items: readonly Json[]): boolean {
  bytes[end++] = OPEN_LIST
  for (let i = 0; i < items.length; i++) {
    if (i > 0) bytes[end++] = COMMA
    if (!writeValue(items[i] as Json)) return false
  }
  // Many may close one after the other.
  makeRoom(ROOM)
  bytes[end++] = CLOSE_LIST
  return true
}

function writeObject(object: JsonObject): boolean {
  bytes[end++] = OPEN_OBJECT
  let isFirst = true
  for (const key of sortedKeys(object)) {
    const value = object[key] as Json
    if (value === null) continue
    if (!isFirst) bytes[end++] = COMMA
    isFirst = false
    if (!writeText(key)) return false
    bytes[end++] = COLON
    if (!writeValue(value)) return false
  }
  // Many may close one after the other.
  makeRoom(ROOM)
  bytes[end++] = CLOSE_OBJECT
  return true
}

/** By UTF-16 code units, which is how strings compare. */
function sortedKeys(object: JsonObject): readonly string[] {
  const keys = Object.keys(object)
  if (keys.length > FEW) return keys.sort()
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string
    let at = i
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string
    keys[at] = key
  }
  return keys
}

function writeText(text: string): boolean {
  makeRoom(text.length * BYTES_PER_CHARACTER + ROOM)
  const into = bytes
  let at = end
  into[at++] = QUOTE
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const isPlain = code >= FIRST_PRINTABLE && code <= LAST_PRINTABLE && code !== QUOTE && code !== BACKSLASH
    if (!isPlain) return writeEscaped(text)
    into[at++] = code
  }
  into[at++] = QUOTE
  end = at
  return true
}

function writeEscaped(text: string): boolean {
  if (!text.isWellFormed()) return false
  end += bytes.write(JSON.stringify(text), end)
  return true
}

function writeNumber(value: number): void {
  if (Number.isInteger(value) && value >= 0 && value < 10) bytes[end++] = DIGIT_0 + value
  else writePlain(String(value))
}

function writePlain(text: string): void {
  for (let i = 0; i < text.length; i++) bytes[end++] = text.charCodeAt(i)
}

function makeRoom(room: number): void {
  if (end + room <= bytes.length) return
  const larger = Buffer.allocUnsafeSlow(2 * (end + room))
  bytes.copy(larger, 0, 0, end)
  bytes = larger
}
