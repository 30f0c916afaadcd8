// Metadata and events are there to be looked at, by many and for long, so secrets do not belong there. Payloads, references
// and outputs are the caller's own: they come back as they were given.
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { frozenObject } from './check-input.ts'
import { type Redact, redactObject } from './redact.ts'

/** As it is stored: a frozen copy without secrets. */
export function keptMetadata(metadata: unknown, redact: Redact, field = 'metadata'): JsonObject {
  return redactObject(frozenObject(field, metadata), redact)
}

/** What a run is asked for is kept with its job, beside what is known of it: it is as good as a payload. */
const ASKED_FOR = ['context', 'adapter_request', 'payload'] as const

/** The same for what comes with a request, when it is frozen already. */
export function requestMetadata(metadata: JsonObject, redact: Redact): JsonObject {
  const clean = redactObject(metadata, redact)
  const changed = ASKED_FOR.filter((name) => clean[name] !== metadata[name])
  if (changed.length === 0) return clean
  const asked = Object.fromEntries(changed.map((name) => [name, metadata[name] as Json]))
  return Object.freeze({ ...clean, ...asked })
}

/** A request that is submitted later. */
export function keptRequest(request: unknown, redact: Redact): JsonObject {
  const copy = frozenObject('request', request)
  const { metadata } = copy
  return isJsonObject(metadata)
    ? Object.freeze({ ...copy, metadata: requestMetadata(metadata, redact) })
    : copy
}
