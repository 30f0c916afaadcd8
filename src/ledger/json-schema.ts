import { createRequire } from 'node:module'
import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js'
import type { Json, JsonObject } from '../core/json.ts'
import { InvalidInput } from '../errors/input-errors.ts'

/** Answers what is wrong with a value: where it is, and why; null when nothing is. */
export type JsonCheck = (value: Json) => { readonly path: string; readonly message: string } | null

let ajv: Ajv2020 | undefined

/** Loaded when somebody first has a schema: it takes a while, and most never do. */
function compiler(): Ajv2020 {
  if (ajv !== undefined) return ajv
  const { Ajv2020: Compiler } = createRequire(import.meta.url)('ajv/dist/2020.js') as {
    readonly Ajv2020: new (options: object) => Ajv2020
  }
  // A keyword that is misspelt would check nothing, and nobody would notice: strict says so.
  ajv = new Compiler({ strict: true, strictTypes: false, strictRequired: false, validateFormats: false })
  return ajv
}

/** Throws `InvalidInput` with the field when it is no schema. */
export function jsonCheck(field: string, schema: JsonObject): JsonCheck {
  const validate = compiled(field, schema)
  return (value) => (validate(value) ? null : problemOf(validate.errors?.[0]))
}

function compiled(field: string, schema: JsonObject) {
  try {
    return compiler().compile(schema)
  } catch (cause) {
    const next = 'Write it as JSON Schema, draft 2020-12.'
    throw InvalidInput.by(
      cause,
      field,
      `${field} is no JSON Schema that can be used: ${(cause as Error).message}`,
      next,
    )
  }
}

function problemOf(error: ErrorObject | undefined): { readonly path: string; readonly message: string } {
  const { instancePath = '', keyword, params, message = 'does not fit its schema' } = error ?? {}
  const path = instancePath.split('/').slice(1).map(plainName)
  const { missingProperty, additionalProperty, allowedValues } = (params ?? {}) as {
    readonly missingProperty?: string
    readonly additionalProperty?: string
    readonly allowedValues?: readonly unknown[]
  }
  if (missingProperty !== undefined)
    return { path: [...path, missingProperty].join('.'), message: 'is missing' }
  if (additionalProperty !== undefined) {
    return { path: [...path, additionalProperty].join('.'), message: 'is not known here' }
  }
  const told =
    keyword === 'enum'
      ? `must be one of ${allowedValues?.map((one) => JSON.stringify(one)).join(', ')}`
      : message
  return { path: path.join('.'), message: told }
}

/** As JSON Pointers write names. */
function plainName(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}
