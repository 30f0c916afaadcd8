import type { RequestIdentity } from '../core/idempotency.ts'
import type { Json, JsonObject } from '../core/json.ts'

// Canonical JSON by RFC 8785, for hashing: of plain JSON, without its null fields. It is what `JSON.stringify` makes of objects
// whose fields are in order, so that is all that has to be done here; nearly every request can be written like this, and
// each of them is hashed.

/** More fields than this are sorted faster by the engine. */
const FEW = 16

const DIGIT_0 = 0x30
const DIGIT_9 = 0x39

/** How `JSON.stringify` begins what half a character becomes. */
const HALF_CHARACTER = '\\ud'

/** A request, and its payload in this form if somebody has written it already. */
export type Identity = RequestIdentity & { readonly payloadInOrder?: string | undefined }

/**
 * What makes a request the same request. Null: that has to be asked of the library, which also knows what has no such form.
 */
export function identityText(request: Identity): string | null {
  const { input_ref, output_ref, payload, request_type, schema_version, tenant_id } = request
  const input = lastInput.textOf(input_ref)
  const output = lastOutput.textOf(output_ref)
  const content = request.payloadInOrder ?? textInOrder(payload)
  if (input === null || output === null || content === null) return null
  const whose = `"schema_version":${lastVersion.textOf(schema_version)},"tenant_id":${lastTenant.textOf(tenant_id)}`
  const what = `"payload":${content},"request_type":${lastType.textOf(request_type)}`
  const text = `{"input_ref":${input},"output_ref":${output},${what},${whose}}`
  return text.includes(HALF_CHARACTER) ? null : text
}

/** A field of requests: those that follow each other mostly say the same. */
class LastText {
  #value: Json = ''
  #text: string | null = '""'

  textOf(value: Json): string | null {
    if (typeof value !== 'string') return textInOrder(value)
    if (value !== this.#value) {
      this.#text = JSON.stringify(value)
      this.#value = value
    }
    return this.#text
  }
}

const lastInput = new LastText()
const lastOutput = new LastText()
const lastType = new LastText()
const lastVersion = new LastText()
const lastTenant = new LastText()

/** Fields that are null are left out. These never are; whoever has such a request is served by the library. */
function textInOrder(value: Json): string | null {
  const copy = value === null ? undefined : inOrder(value)
  return copy === undefined ? null : JSON.stringify(copy)
}

/** A copy whose fields are in order, without those that are null; undefined when JavaScript has an order of its own for them. */
function inOrder(value: Json): Json | undefined {
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? listInOrder(value) : objectInOrder(value as JsonObject)
}

function listInOrder(items: readonly Json[]): Json | undefined {
  const copy = new Array<Json>(items.length)
  for (let i = 0; i < items.length; i++) {
    const item = inOrder(items[i] as Json)
    if (item === undefined) return undefined
    copy[i] = item
  }
  return copy
}

function objectInOrder(object: JsonObject): Json | undefined {
  const copy: { [key: string]: Json } = {}
  for (const key of sortedKeys(object)) {
    const value = object[key] as Json
    if (value === null) continue
    const first = key.charCodeAt(0)
    // Fields that are named like places of a list come first, by their number; and this one is no field.
    if ((first >= DIGIT_0 && first <= DIGIT_9) || key === '__proto__') return undefined
    const own = inOrder(value)
    if (own === undefined) return undefined
    copy[key] = own
  }
  return copy
}

// Requests that follow each other mostly have the same fields.
let lastKeys: readonly string[] = []
let lastSorted: readonly string[] = []

/** By UTF-16 code units, which is how strings compare. */
function sortedKeys(object: JsonObject): readonly string[] {
  const keys = Object.keys(object)
  if (keys.length > FEW) return keys.sort()
  if (isSame(keys, lastKeys)) return lastSorted
  lastKeys = keys
  lastSorted = keys.toSorted(byCodeUnits)
  return lastSorted
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : 1
}
