// From schemas of zod to those of the document. A schema that has a name stands in the document once, under `components`, and
// everybody else refers to it.
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { JsonObject } from '../../core/json.ts'

/** Whether it is what callers send, or what they are answered. */
export type Direction = 'input' | 'output'

type Rewritten = { [key: string]: unknown }

const COMPONENTS = '#/components/schemas/'
const DEFS = '#/$defs/'

/** Without a name of its own zod gives it one like this, since it refers to itself. */
const JSON_VALUE = 'Json'
const NAMELESS = /^__schema\d+$/

export class Components {
  readonly #schemas = new Map<string, JsonObject>([[JSON_VALUE, { description: 'Any JSON value' }]])

  /** The schema as it stands where it is used; the named ones in it are kept. */
  add(schema: z.ZodType, direction: Direction): JsonObject {
    const {
      $schema: _,
      $defs = {},
      ...root
    } = z.toJSONSchema(schema, {
      io: direction,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => simplify(jsonSchema as Rewritten, direction),
    })
    for (const [name, def] of Object.entries($defs)) this.#keep(name, referring(def) as JsonObject)
    return referring(root) as JsonObject
  }

  toJSON(): JsonObject {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #keep(name: string, schema: JsonObject): void {
    if (NAMELESS.test(name)) {
      if (!isDeepStrictEqual(schema, ANY_JSON))
        throw new Error(`A schema that refers to itself needs a name: ${name}`)
      return
    }
    const known = this.#schemas.get(name)
    if (known !== undefined && !isDeepStrictEqual(known, schema)) {
      throw new Error(`Two schemas of the document are named ${name}`)
    }
    this.#schemas.set(name, schema)
  }
}

/** What a reference to a named schema looks like where no schema of zod can be given. */
export function refTo(name: string): { readonly $ref: string } {
  return { $ref: `${COMPONENTS}${name}` }
}

/** Leaves out what says nothing, or more than is meant. */
function simplify(schema: Rewritten, direction: Direction): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  // The format says it in one word.
  if (schema.format === 'date-time') delete schema.pattern
  // Numbers in a query come as text, which is not what anybody wants to know.
  if (schema.type === 'integer' || schema.type === 'number') delete schema.pattern
  if (isDeepStrictEqual(schema.propertyNames, { type: 'string' })) delete schema.propertyNames
  // An answer may get another field one day; who reads it is not to fall over it.
  if (direction === 'output' && schema.additionalProperties === false) delete schema.additionalProperties
}

/** Names of zod become names of the document. */
function referring(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(referring)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' ? renamed(String(inner)) : referring(inner),
    ]),
  )
}

function renamed(ref: string): string {
  if (!ref.startsWith(DEFS)) return ref
  const name = ref.slice(DEFS.length)
  return `${COMPONENTS}${NAMELESS.test(name) ? JSON_VALUE : name}`
}

/** `z.json()`, as zod writes it. */
const ANY_JSON = {
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'null' },
    { type: 'array', items: refTo(JSON_VALUE) },
    { type: 'object', additionalProperties: refTo(JSON_VALUE) },
  ],
}
