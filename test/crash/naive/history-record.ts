import { entriesOf, type Json, type JsonObject, placesOf, statesOf } from './delta-file.ts'

export type HistoryRecord = JsonObject & { readonly seq: number }

const FIELDS = [
  'event',
  'tenant_id',
  'kind',
  'doc_id',
  'timestamp',
  'adapter',
  'retry_count',
  'max_retries',
  'metadata',
  'actor',
  'reason',
] as const

/** A line as readers of the history see it: one record per state passed through. */
export function expand(line: JsonObject): {
  readonly records: readonly HistoryRecord[]
  readonly places: number
} {
  const places = placesOf(line)
  if (line.event === undefined || line.event === 'closed' || line.event === 'repaired') {
    return { records: [], places }
  }
  const records: HistoryRecord[] = []
  for (const entry of entriesOf(line)) {
    const states = statesOf(entry)
    for (let hop = 1; hop < states.length; hop++) {
      const seq = (line.seq as number) + records.length
      records.push({ ...hopOf(entry, states, hop), seq, cursor: String(seq) })
    }
  }
  return { records, places }
}

/** The error belongs to the last state entered, the time to the first one left. */
function hopOf(entry: JsonObject, states: readonly (string | null)[], hop: number): JsonObject {
  const isLast = hop === states.length - 1
  const fields: { [name: string]: Json | undefined } = {}
  for (const field of FIELDS) fields[field] = entry[field] as Json
  for (const field of ['error_type', 'error_message', 'traceback']) {
    fields[field] = isLast ? (entry[field] as Json) : null
  }
  return {
    ...fields,
    id: entry.id as Json,
    job_id: entry.job_id ?? null,
    old_state: states[hop - 1] as Json,
    new_state: states[hop] as Json,
    duration_seconds: hop === 1 ? (entry.duration_seconds as Json) : 0,
  }
}
