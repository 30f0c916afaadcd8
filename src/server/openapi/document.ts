// The OpenAPI document, made from the same routes and schemas that requests are served by.
import { z } from 'zod'
import type { JsonObject } from '../../core/json.ts'
import { ERROR_TABLE } from '../../errors/table.ts'
import type { AnswerAbout, Route } from '../route.ts'

/** Of what is offered over HTTP, not of the package. */
const API_VERSION = '1.0'

const PROBLEM_SCHEMA = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.enum(Object.keys(ERROR_TABLE) as [string, ...string[]]),
    field: z.string().optional().describe('The input at fault'),
    next: z.string().describe('What the caller can do about it'),
    details: z.record(z.string(), z.unknown()),
    request_id: z.string(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457' })

const PROBLEM = { $ref: '#/components/schemas/Problem' }

/** What every route that lets nobody in by itself may answer. */
const COMMON: { readonly [status: string]: string } = {
  400: 'The request makes no sense',
  401: 'It needs a token, and none that is valid was shown',
  403: 'The token is not for this',
  422: 'A field is missing or wrong; the problem names it',
  429: 'A limit is reached; `Retry-After` says when to try again',
}

const PARAM_ABOUT: { readonly [name: string]: string } = {
  job_id: 'Id of the job',
  doc_id: 'Id of the document, escaped as a part of a path',
}

export function openApiDocument(routes: readonly Route[]): JsonObject {
  const paths: { [path: string]: { [method: string]: unknown } } = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    ;(paths[route.path] as { [method: string]: unknown })[route.method.toLowerCase()] = operationOf(route)
  }
  return plain({
    openapi: '3.1.0',
    info: {
      title: 'Waybill',
      version: API_VERSION,
      summary: 'A durable ledger and orchestrator for jobs and documents',
      description:
        'Every change is durable when it is answered, and in the history with who asked for it and why. Records have the ' +
        'same fields as in the library. Errors are problems (RFC 9457) with a stable `code` and the next step.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { session: [] }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: '`waybill tokens create` makes one' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'waybill_session',
          description: 'Of a browser, by a one-time link',
        },
      },
      schemas: { Problem: schemaOf(PROBLEM_SCHEMA, 'output') },
    },
  })
}

function operationOf(route: Route): object {
  const { operation, summary, about, needs, query, body, answers } = route
  return {
    operationId: operation,
    tags: [tagOf(route)],
    summary,
    ...(about === undefined ? null : { description: about }),
    ...(needs === 'nothing' ? { security: [] } : { 'x-permission': needs }),
    parameters: [
      ...pathParameters(route),
      ...(query === undefined ? [] : queryParameters(query)),
      ...headerParameters(route),
    ],
    ...(body === undefined ? null : { requestBody: requestBodyOf(body) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, responseOf(Number(status), answer)]),
      ),
      ...(needs === 'nothing' ? null : commonResponses(answers)),
    },
  }
}

function tagOf({ path }: Route): string {
  return /^\/v1\/(\w+)/.exec(path)?.[1] ?? 'server'
}

function pathParameters({ path }: Route): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...(PARAM_ABOUT[name] === undefined ? null : { description: PARAM_ABOUT[name] }),
    schema: { type: 'string', minLength: 1, maxLength: 512 },
  }))
}

function queryParameters(query: z.ZodObject): object[] {
  const { properties = {} } = schemaOf(query, 'input') as { properties?: { [name: string]: JsonObject } }
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    ...(description === undefined ? null : { description }),
    schema,
    ...(schema.type === 'array' ? { style: 'form', explode: false } : null),
  }))
}

/** Of routes that change something. */
function headerParameters({ method, needs }: Route): object[] {
  if (method === 'GET' || needs === 'nothing') return []
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: 'The same change again is made once',
      schema: { type: 'string', maxLength: 512 },
    },
    {
      name: 'If-Match',
      in: 'header',
      required: false,
      description: 'Only if the record still has this etag',
      schema: { type: 'string' },
    },
  ]
}

function requestBodyOf(body: z.ZodType): object {
  return {
    required: !body.safeParse({}).success,
    content: { 'application/json': { schema: schemaOf(body, 'input') } },
  }
}

function responseOf(
  status: number,
  { about, schema, contentType = 'application/json' }: AnswerAbout,
): object {
  if (status >= 400)
    return { description: about, content: { 'application/problem+json': { schema: PROBLEM } } }
  return {
    description: about,
    content: { [contentType]: { schema: schema === undefined ? {} : schemaOf(schema, 'output') } },
  }
}

function commonResponses(answers: Route['answers']): object {
  const others = Object.entries(COMMON).filter(([status]) => !(status in answers))
  return Object.fromEntries(others.map(([status, about]) => [status, responseOf(Number(status), { about })]))
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest as JsonObject
}

/** Without what is undefined. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}
