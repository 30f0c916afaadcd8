import type { Ref } from '../core/job/record.ts'
import { frozenJson, frozenObject } from './check-input.ts'
import { envelopeSchema, inputErrorOf, type ParsedEnvelope } from './envelope.ts'

/** By the schema, which knows all that is allowed and says what is not. */
export function checkedEnvelope(envelope: unknown): ParsedEnvelope {
  const parsed = envelopeSchema.safeParse(envelope)
  if (!parsed.success) throw inputErrorOf(parsed.error)
  const { input_ref, output_ref, payload, metadata, ...rest } = parsed.data
  return {
    ...rest,
    input_ref: frozenJson('input_ref', input_ref) as Ref,
    output_ref: frozenJson('output_ref', output_ref) as Ref,
    payload: frozenJson('payload', payload),
    ...(metadata === undefined
      ? null
      : { metadata: metadata === null ? null : frozenObject('metadata', metadata) }),
  }
}
