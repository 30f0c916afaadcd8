// Requests of all kinds: right ones, nearly right ones, and ones that make no sense at all.
import fc from 'fast-check'
import type { Route } from '../../src/server/route.ts'
import type { Asked } from './http-client.ts'
import type { TokenName } from './http-ledger.ts'
import type { Possessions } from './populate.ts'
import { askedOf, exampleOf, isStream, isWrite, KNOWN_ROUTES, pathOf } from './route-examples.ts'

export interface ArbitraryRequest {
  readonly route: Route
  readonly method: string
  readonly path: string
  /** Null for nobody, junk for whoever is not known. */
  readonly as: TokenName | 'junk' | null
  readonly asked: Asked
}

/** Mostly those who may do something. */
const TOKENS: readonly TokenName[] = [
  ...Array<TokenName>(12).fill('admin'),
  ...Array<TokenName>(8).fill('operator'),
  ...Array<TokenName>(6).fill('acme.operator'),
  'worker',
  'viewer',
  'acme.admin',
  'acme.worker',
  'acme.viewer',
  'globex.operator',
  'both',
]

const JUNK_TEXT = [
  '',
  ' ',
  '*',
  '0',
  '-1',
  '1',
  '1e999',
  'true',
  'null',
  '__proto__',
  'constructor',
  '../..',
  '%00',
  'ä€😀',
  'a,b',
  'QUEUED',
  'SUCCEEDED',
  'fetching',
  'acme',
  'globex',
  'nobody',
  'changed',
  'desc',
  '2025-01-02T03:04:05Z',
  '1970-01-01T00:00:00Z',
  '"etag"',
  '\u0000',
  '\ud83d',
  'x'.repeat(600),
  "' OR 1=1 --",
  '<script>',
]

const junkText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...JUNK_TEXT) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20, unit: 'binary' }) },
)

const junkValue: fc.Arbitrary<unknown> = fc.oneof(
  junkText,
  fc.constantFrom<unknown>(null, true, false, 0, -0, 1, -1, 1.5, 1e308, 2 ** 53, [], {}, [[]], [null], {
    a: 1,
  }),
  fc.jsonValue({ maxDepth: 3 }),
)

/** What is changed in a body that would be right. */
const mutation = fc.record({
  what: fc.constantFrom('none', 'none', 'none', 'drop', 'replace', 'replace', 'add', 'deep', 'text', 'cut'),
  place: fc.nat(20),
  name: fc.oneof(
    junkText,
    fc.constantFrom('tenant_id', 'job_id', 'state', 'metadata', 'reason', 'depends_on'),
  ),
  value: junkValue,
})

type Mutation = typeof mutation extends fc.Arbitrary<infer M> ? M : never

function mutated(body: unknown, { what, place, name, value }: Mutation): unknown {
  const names = typeof body === 'object' && body !== null ? Object.keys(body) : []
  const at = names[place % Math.max(1, names.length)] ?? name
  switch (what) {
    case 'drop':
      return { ...(body as object), [at]: undefined }
    case 'replace':
      return { ...(body as object), [at]: value }
    case 'add':
      return { ...(body as object), [name]: value }
    case 'deep':
      return { ...(body as object), [at]: { [name]: { [name]: value } } }
    case 'text':
      return JSON.stringify(value)
    case 'cut': {
      const text = JSON.stringify(body ?? {})
      return text.slice(0, place % text.length)
    }
    default:
      return body
  }
}

function headersOf() {
  return fc.record(
    {
      'idempotency-key': fc.oneof(fc.constantFrom('key-1', 'key-2', 'key-3'), plainHeader()),
      'if-match': fc.oneof(fc.constantFrom('"1"', '"30"', '"stale"', '*', 'W/"1"'), plainHeader()),
      'x-request-id': plainHeader(),
      traceparent: fc.oneof(
        fc.constant('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
        plainHeader(),
      ),
      origin: fc.constantFrom('http://evil.com', 'null'),
      'sec-fetch-site': fc.constantFrom('cross-site', 'same-origin', 'none'),
      'content-type': fc.constantFrom('text/plain', 'application/json; charset=utf-8', 'application/xml'),
      'content-encoding': fc.constantFrom('gzip', 'identity'),
    },
    { requiredKeys: [] },
  )
}

/** What a client can put into a header at all. */
function plainHeader() {
  return fc.string({ maxLength: 20, unit: fc.constantFrom(...'abcXYZ019 "*,;=-_./') })
}

/** Each kind of header in a few requests, so that most of them come through. */
const someHeaders = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: headersOf().map((all) => Object.fromEntries(Object.entries(all).slice(0, 1))) },
  { weight: 1, arbitrary: headersOf() },
)

function queryOf(route: Route) {
  const known = Object.keys(route.query?.shape ?? {})
  const name =
    known.length === 0 ? junkText : fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, junkText)
  const pair = fc.tuple(name, junkText).map(([key, value]) => `${encode(key)}=${encode(value)}`)
  return fc.oneof(
    { weight: 9, arbitrary: fc.constant('') },
    { weight: 3, arbitrary: fc.array(pair, { maxLength: 3 }).map((pairs) => pairs.join('&')) },
    { weight: 1, arbitrary: fc.string({ maxLength: 20, unit: fc.constantFrom(...'abc=&%2f[].?+') }) },
  )
}

/** Half a character cannot be sent. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** Jobs and documents of both, and what nobody has. */
function paramsOf(route: Route, all: readonly Possessions[]) {
  const own = fc.constantFrom(...all).map((one) => exampleOf(route, one).params ?? {})
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  const jobs = all.flatMap(({ job, doneJob, staged, work }) => [job, doneJob, staged, work.job.job_id])
  const id = fc.oneof(fc.constantFrom(...jobs, 'new-1', 'new-2'), junkText)
  const other = fc.record(Object.fromEntries(names.map((name) => [name, id])))
  return fc.oneof({ weight: 4, arbitrary: own }, { weight: 1, arbitrary: other })
}

export function arbitraryRequest(all: readonly Possessions[]): fc.Arbitrary<ArbitraryRequest> {
  // Those that look at everything are asked less often.
  const isHeavy = ({ operation }: Route) => operation === 'checkLedger' || operation === 'compact'
  const routes = KNOWN_ROUTES.filter((route) => !isStream(route) && !isHeavy(route))
  const heavy = KNOWN_ROUTES.filter(isHeavy)
  return fc
    .oneof(
      { weight: 200, arbitrary: fc.constantFrom(...routes) },
      { weight: 1, arbitrary: fc.constantFrom(...heavy) },
    )
    .chain((route) =>
      fc
        .record({
          of: fc.constantFrom(...all),
          method: fc.oneof(
            { weight: 30, arbitrary: fc.constant<string>(route.method) },
            { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS') },
          ),
          params: paramsOf(route, all),
          query: queryOf(route),
          change: mutation,
          headers: someHeaders,
          as: fc.oneof(
            { weight: 40, arbitrary: fc.constantFrom<ArbitraryRequest['as'][]>(...TOKENS) },
            { weight: 1, arbitrary: fc.constantFrom<ArbitraryRequest['as'][]>(null, 'junk') },
          ),
        })
        .map(({ of, method, params, query, change, headers, as }) => {
          const example = exampleOf(route, of)
          const asked = askedOf(route, example)
          const encoded = Object.fromEntries(Object.entries(params).map(([k, v]) => [k, v.toWellFormed()]))
          const path = pathOf(route, encoded)
          const body = isWrite(route) ? { body: mutated(asked.body, change) } : {}
          return {
            route,
            method,
            path: query === '' ? path : `${path}?${query}`,
            as,
            asked: { headers, ...body },
          }
        }),
    )
}
