// One route on the page of all routes: who may call it, what it takes, what it answers.
import type { Permission } from '../../../src/server/auth/principal.ts'
import type { Route } from '../../../src/server/route.ts'
import { compactTable } from '../markdown-table.ts'
import { type Schema, wordsFor } from './schema-words.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Answer {
  readonly $ref?: string
  readonly description?: string
  readonly content?: { readonly [type: string]: { readonly schema: Schema } }
}

export interface Operation {
  readonly summary: string
  readonly description?: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: { readonly 'application/json': { readonly schema: Schema } }
  }
  readonly responses: { readonly [status: string]: Answer }
}

/** The least role that may; every later one may, too. */
const LEAST: { readonly [permission in Permission]: string } = {
  read: '`viewer`',
  work: '`worker`',
  write: '`operator`',
  admin: '`admin`',
}

export function routeSection(route: Route, operation: Operation): string {
  const { method, path } = route
  return [
    `### ${method} ${path}`,
    `${operation.summary}.${operation.description === undefined ? '' : ` ${operation.description}`}`,
    `**Who:** ${whoMayCall(route)}.`,
    parametersOf(operation.parameters),
    bodyOf(operation.requestBody),
    answersOf(operation.responses),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function whoMayCall({ needs, everybody, mayBeSigned, acrossTenants }: Route): string {
  if (needs === 'nothing') return 'everybody, without a token'
  return [
    `${LEAST[needs]}${needs === 'admin' ? '' : ' or more'}`,
    everybody === true ? 'with a token for all tenants' : '',
    acrossTenants === true ? '`tenant_id=*` asks for all tenants of the token' : '',
    mayBeSigned === true ? 'or a service that signs what it sends' : '',
  ]
    .filter((part) => part !== '')
    .join('; ')
}

function parametersOf(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({ name, in: place, required, description = '', schema }) => [
    `\`${name}\``,
    place,
    wordsFor(schema),
    cell(`${description}${required && place !== 'path' ? ' (required)' : ''}`),
  ])
  return compactTable(['Parameter', 'In', 'Type', 'What it is'], rows)
}

function bodyOf(body: Operation['requestBody']): string {
  if (body === undefined) return ''
  const { schema } = body.content['application/json']
  const needed = body.required ? '' : ', which may be left out'
  if (schema.properties === undefined) return `**Body**${needed}: ${wordsFor(schema)}`
  return `**Body**${needed}:\n\n${fieldsOf(schema, 'Required')}`
}

export function fieldsOf({ properties = {}, required = [] }: Schema, isThere: 'Always' | 'Required'): string {
  const rows = Object.entries(properties).map(([name, schema]) => [
    `\`${name}\``,
    required.includes(name) ? 'yes' : '',
    cell(wordsFor(schema)),
    cell(schema.description ?? ''),
  ])
  return compactTable(['Field', isThere, 'Type', 'What it is'], rows)
}

/** Answers of its own; those that all routes have are told once. */
function answersOf(responses: Operation['responses']): string {
  const rows = Object.entries(responses)
    .filter(([, { $ref }]) => $ref === undefined)
    .map(([status, { description = '', content = {} }]) => [status, shapeOf(content), cell(description)])
  return compactTable(['Answer', 'Body', 'What it says'], rows)
}

function shapeOf(content: NonNullable<Answer['content']>): string {
  const [type = '', { schema } = { schema: {} }] = Object.entries(content)[0] ?? []
  if (type === 'application/problem+json') return '[Problem](#problem)'
  if (type !== 'application/json') return `\`${type}\``
  return Object.keys(schema).length === 0 ? '' : cell(wordsFor(schema))
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim()
}
