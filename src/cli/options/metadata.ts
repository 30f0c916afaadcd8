import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { InvalidInput } from '../../errors/input-errors.ts'

export function parseMetadata(text: string): JsonObject {
  const parsed = parse(text)
  if ('value' in parsed && isJsonObject(parsed.value)) return parsed.value
  const problem = 'value' in parsed ? 'JSON, but not an object' : `not JSON: ${parsed.problem}`
  throw new InvalidInput(
    'metadata',
    `--metadata is ${problem}`,
    `Write an object, in quotes for the shell: --metadata '{"pages": 12}'.`,
  )
}

function parse(text: string): { readonly value: Json } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}
