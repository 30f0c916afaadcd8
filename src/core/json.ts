export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export type JsonObject = { readonly [key: string]: Json }

export const EMPTY: JsonObject = Object.freeze({})

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The number it is; null when it is none. */
export function numberIn(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null
}

/** Drops null *fields* at every depth; array elements keep their places, nulls included. */
export function dropNullFields(value: Json): Json {
  // Most requests have none, and then nothing is copied.
  return hasNullField(value) ? withoutNullFields(value) : value
}

function hasNullField(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasNullField)
  if (!isJsonObject(value)) return false
  return Object.values(value).some((field) => field === null || hasNullField(field))
}

function withoutNullFields(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNullFields)
  if (!isJsonObject(value)) return value
  const kept = Object.entries(value).filter(([, field]) => field !== null)
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutNullFields(field)]))
}

/** What a text of JSON says, for nobody to change. */
export function frozenJson(text: string): Json {
  const value = JSON.parse(text) as Json
  freezeAll(value)
  return value
}

export function freezeAll(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) for (const item of value) freezeAll(item)
  else for (const key in value) freezeAll((value as { readonly [key: string]: unknown })[key])
  Object.freeze(value)
}

export function withoutField(object: JsonObject, field: string): JsonObject {
  const { [field]: _, ...rest } = object
  return rest
}

export function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i] as Json))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] as Json, b[key] as Json))
  )
}
