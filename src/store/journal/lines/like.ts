import { isJsonObject, type Json, type JsonObject, sameJson } from '../../../core/json.ts'

// A line may say what is different from another one of its batch, and nothing else. What is not there is as in the other one:
// objects are gone into, and lists of objects of the same length, each into its counterpart; everything else is said as a whole.

/** What users gave is said as a whole: its fields are nobody's business. */
const WHOLE: ReadonlySet<string> = new Set(['payload', 'output', 'input_ref', 'output_ref'])

/** What of a line is not as in the other one. Nothing that is in the other one may be missing. */
export function differences(model: JsonObject, line: JsonObject): JsonObject {
  const different: { [field: string]: Json } = {}
  for (const [field, value] of Object.entries(line)) {
    const there = model[field]
    if (there === undefined || WHOLE.has(field)) {
      if (there === undefined || !sameJson(there, value)) different[field] = value
    } else if (isJsonObject(there) && isJsonObject(value)) {
      const inside = differences(there, value)
      if (Object.keys(inside).length > 0) different[field] = inside
    } else if (areObjects(there) && areObjects(value) && there.length === value.length) {
      const items = value.map((item, nth) => differences(there[nth] as JsonObject, item))
      if (items.some((item) => Object.keys(item).length > 0)) different[field] = items
    } else if (!sameJson(there, value)) different[field] = value
  }
  return different
}

/** The line of which another one says what is different. */
export function withDifferences(model: JsonObject, different: JsonObject): JsonObject {
  const line: { [field: string]: Json } = { ...model }
  for (const field in different) {
    const value = different[field] as Json
    const there = model[field]
    if (there === undefined || WHOLE.has(field)) line[field] = value
    else if (isJsonObject(there) && isJsonObject(value)) line[field] = withDifferences(there, value)
    else if (areObjects(there) && areObjects(value) && there.length === value.length)
      line[field] = value.map((item, nth) => withDifferences(there[nth] as JsonObject, item))
    else line[field] = value
  }
  return line
}

function areObjects(value: Json): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isJsonObject)
}
