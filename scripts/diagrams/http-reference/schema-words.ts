// A JSON schema in a few words, for the cell of a table.

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: { readonly [name: string]: Schema }
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

/** What JSON numbers can count to: not a limit that anybody chose. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

export function wordsFor(schema: Schema): string {
  if (schema.$ref !== undefined) return `[${nameOf(schema.$ref)}](#${nameOf(schema.$ref).toLowerCase()})`
  const several = schema.anyOf ?? schema.oneOf
  if (several !== undefined) return [...new Set(several.map(wordsFor))].join(' or ')
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (schema.items !== undefined) return `list of ${wordsFor(schema.items)}${bounds(schema)}`
  if (schema.properties !== undefined) return `{ ${Object.keys(schema.properties).join(', ')} }`
  if (typeof schema.additionalProperties === 'object' && Object.keys(schema.additionalProperties).length > 0)
    return `object of ${wordsFor(schema.additionalProperties)}`
  if (Array.isArray(schema.type)) return schema.type.map((type) => plainType({ type })).join(' or ')
  return `${plainType(schema)}${bounds(schema)}`
}

function plainType({ type, format }: Schema): string {
  if (type === undefined) return 'any JSON'
  if (format === 'date-time') return 'time'
  return { string: 'text', integer: 'whole number', boolean: 'true or false' }[type as string] ?? String(type)
}

function bounds({ minimum, maximum, maxLength, maxItems }: Schema): string {
  const least = minimum === undefined || minimum === -NO_LIMIT ? undefined : minimum
  const most = maximum === NO_LIMIT ? undefined : maximum
  if (least !== undefined && most !== undefined) return `, ${figure(least)} to ${figure(most)}`
  if (least !== undefined && least !== 0) return `, at least ${figure(least)}`
  if (most !== undefined) return `, at most ${figure(most)}`
  if (maxLength !== undefined) return `, at most ${figure(maxLength)} characters`
  return maxItems === undefined ? '' : `, at most ${figure(maxItems)}`
}

function figure(value: number): string {
  return value.toLocaleString('en-US')
}
