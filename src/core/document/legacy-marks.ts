import type { JsonObject } from '../json.ts'

/** Who takes over old logs, in the history. */
export const MIGRATION = 'migration'

/** What the history keeps of a line of an old log beside its metadata. It is about the transition, not the document. */
export const MARKS: ReadonlySet<string> = new Set([
  'legacy_state',
  'legacy_fields',
  'legacy_metadata',
  'legacy_text',
  'original_timestamp',
  'original_old_state',
  'validated',
])

export function withoutMarks(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !MARKS.has(name)))
}
