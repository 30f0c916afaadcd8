import { z } from 'zod'
import type { JsonObject } from '../../core/json.ts'
import { type AnswerAbout, type Route, STALE } from '../route.ts'
import { type Components, refTo } from './components.ts'

/** What every route may answer that does not let everybody in, by status, and the name of that in the document. */
const COMMON: { readonly [status: string]: { readonly name: string; readonly about: string } } = {
  400: { name: 'BadRequest', about: 'The request makes no sense' },
  401: { name: 'Unauthorized', about: 'It needs a token, and none that is valid was shown' },
  403: { name: 'Forbidden', about: 'The token is not for this' },
  422: { name: 'Invalid', about: 'A field is missing or wrong; the problem names it' },
  429: { name: 'TooMany', about: 'A limit is reached; `Retry-After` says when to try again' },
}

const ANY_OTHER = { name: 'AnyOther', about: 'Any other problem' }

const PARAM_ABOUT: { readonly [name: string]: string } = {
  job_id: 'Id of the job',
  doc_id: 'Id of the document, escaped as a part of a path: `a/b` is `a%2Fb`',
  run_id: 'Id of the run',
  workstream_id: 'Id of the workstream',
  schedule_id: 'Id of the schedule',
  token_id: 'Id of the token, which is not the token itself',
  queue: 'Name of the queue: where workers look, or `push:` and the service',
}

const PROBLEM = { 'application/problem+json': { schema: refTo('Problem') } }

export function operationOf(route: Route, components: Components): object {
  const { operation, summary, about, needs, mayBeSigned, query, body } = route
  return {
    operationId: operation,
    tags: [tagOf(route)],
    summary,
    description: about,
    ...securityOf(needs, mayBeSigned),
    parameters: [
      ...pathParameters(route),
      ...(query === undefined ? [] : queryParameters(query, components)),
      ...headerParameters(route),
    ],
    ...(body === undefined ? null : { requestBody: requestBodyOf(body, components) }),
    responses: responsesOf(route, components),
  }
}

export function tagOf({ path }: Route): string {
  return /^\/v1\/(\w+)/.exec(path)?.[1] ?? 'server'
}

function securityOf(needs: Route['needs'], mayBeSigned: boolean | undefined): object {
  if (needs === 'nothing') return { security: [] }
  const security = [{ token: [] }, { session: [] }, { signature: [] }]
  return { 'x-permission': needs, ...(mayBeSigned === true ? { security } : null) }
}

function pathParameters({ path }: Route): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: PARAM_ABOUT[name],
    schema: { type: 'string', minLength: 1, maxLength: 512 },
  }))
}

function queryParameters(query: z.ZodObject, components: Components): object[] {
  const { properties = {} } = components.add(query, 'input') as {
    properties?: { [name: string]: JsonObject }
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema,
    ...(schema.type === 'array' ? { style: 'form', explode: false } : null),
  }))
}

const HEADERS = {
  isKeyed: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'The same request again is answered as it was, and changes nothing',
    schema: { type: 'string', maxLength: 512 },
  },
  mayBeStale: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'Only if the record still has this etag, in quotes as `ETag` has it',
    schema: { type: 'string' },
  },
}

function headerParameters({ isKeyed, answers }: Route): object[] {
  return [
    ...(isKeyed === true ? [HEADERS.isKeyed] : []),
    ...(Object.keys(STALE).some((status) => status in answers) ? [HEADERS.mayBeStale] : []),
  ]
}

function requestBodyOf(body: z.ZodType, components: Components): object {
  return {
    required: !body.safeParse({}).success,
    content: { 'application/json': { schema: components.add(body, 'input') } },
  }
}

/** Problems that many routes have, for `components`. */
export function commonResponses(): object {
  return Object.fromEntries(
    [...Object.values(COMMON), ANY_OTHER].map(({ name, about }) => [
      name,
      { description: about, content: PROBLEM },
    ]),
  )
}

function responsesOf({ answers, needs }: Route, components: Components): object {
  const own = Object.entries(answers).map(([status, answer]) => [
    status,
    responseOf(Number(status), answer, components),
  ])
  const common = Object.entries({ ...(needs === 'nothing' ? null : COMMON), default: ANY_OTHER })
    .filter(([status]) => !(status in answers))
    .map(([status, { name }]) => [status, { $ref: `#/components/responses/${name}` }])
  return Object.fromEntries([...own, ...common])
}

function responseOf(
  status: number,
  { about, schema, contentType = 'application/json' }: AnswerAbout,
  components: Components,
): object {
  if (status >= 400 && schema === undefined) return { description: about, content: PROBLEM }
  return {
    description: about,
    ...(isRecord(schema) ? { headers: { ETag: ETAG } } : null),
    content: { [contentType]: { schema: schema === undefined ? {} : components.add(schema, 'output') } },
  }
}

const ETAG = { description: 'What `If-Match` takes back', schema: { type: 'string' } }

function isRecord(schema: z.ZodType | undefined): boolean {
  return schema instanceof z.ZodObject && 'etag' in schema.shape
}
