import { isJsonObject, type Json, type JsonObject } from '../json.ts'

/** Metadata with more of it laid over. A field that is null goes. */
export function overlaid(metadata: JsonObject, more: JsonObject): JsonObject {
  const all: { [key: string]: Json } = { ...metadata }
  for (const [key, value] of Object.entries(more)) {
    if (value === null) delete all[key]
    else all[key] = value
  }
  return all
}

/** What a stage leaves in the metadata of its job when it succeeds. */
export interface StageSuccess {
  readonly step_id: string
  readonly attempts: number
  readonly output_count: number
  readonly duration_ms: number
  readonly completed_at: string
}

export function stageMetadata(stage: StageSuccess): JsonObject {
  const { step_id, attempts, output_count, duration_ms, completed_at } = stage
  return {
    [`stage.${step_id}.attempts`]: attempts,
    [`stage.${step_id}.output_count`]: output_count,
    [`stage.${step_id}.duration_ms`]: duration_ms,
    [`stage.${step_id}.completed_at`]: completed_at,
  }
}

/** How many things an output is, where nobody counted: those of a list, else one, or none. */
export function countOutputs(output: Json): number {
  if (output === null) return 0
  if (Array.isArray(output)) return output.length
  return isJsonObject(output) && Object.keys(output).length === 0 ? 0 : 1
}
