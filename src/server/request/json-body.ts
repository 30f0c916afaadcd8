import type { Json } from '../../core/json.ts'
import { parseJson } from '../../wire/parse-json.ts'

/** A body without anything in it is an empty object: many routes have nothing that they have to be told. */
export function jsonBody(bytes: Buffer): Json {
  return bytes.length === 0 ? {} : parseJson(bytes)
}
