import { checkedEnvelope } from './checked-envelope.ts'
import type { ParsedEnvelope } from './envelope.ts'
import { plainEnvelope } from './plain-envelope.ts'

export function parseEnvelope(envelope: unknown): ParsedEnvelope {
  return plainEnvelope(envelope) ?? checkedEnvelope(envelope)
}
