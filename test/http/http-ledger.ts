// A real server on a ledger with records of several tenants, and a token of each kind.

import { protocols } from '../../examples/protocols/all.ts'
import type { Protocol } from '../../src/core/job/protocol.ts'
import { machines, type RecordKind } from '../../src/core/machines/all.ts'
import { ROLES, type Role } from '../../src/core/token/record.ts'
import { DEFAULT_SETTINGS, type LedgerSettings } from '../../src/ledger/settings.ts'
import { LiveLedger } from '../../src/runtime/live-ledger.ts'
import { type ServeOptions, serve } from '../../src/server/serve.ts'
import { findAll } from '../../src/store/find-all.ts'
import { openStore } from '../../src/store/open-store.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { nodeDisk } from '../../src/world/node-disk.ts'
import { systemTimers } from '../../src/world/timers.ts'
import { type Answer, type Asked, HttpClient } from './http-client.ts'
import { type RawOptions, rawRequest } from './raw-socket.ts'

/** Two tenants that must not see each other. */
export const OURS = 'acme'
export const THEIRS = 'globex'

export const CALLBACK_SECRET = 'what callbacks are signed with'

/** For workers: one step, two steps, and one that another scheduler runs. */
const WORK: Protocol = {
  protocol_id: 'work.v1',
  request_type: 'WORK',
  steps: [{ step_id: 'do', step_type: 'DO', service: 'work', delivery: 'pull' }],
}
const TWO: Protocol = {
  protocol_id: 'two.v1',
  request_type: 'TWO',
  steps: [
    { step_id: 'one', step_type: 'ONE', service: 'one', delivery: 'pull' },
    { step_id: 'two', step_type: 'TWO', service: 'two', delivery: 'pull' },
  ],
}
const EXTERNAL: Protocol = {
  protocol_id: 'external.v1',
  request_type: 'EXTERNAL',
  steps: [{ step_id: 'bootstrap', step_type: 'BOOTSTRAP', service: 'scheduler', delivery: 'external' }],
}

/** `admin`, `acme.viewer`, …: who the token is for says what it is. */
export type TokenName = Role | `${typeof OURS}.${Role}` | `${typeof THEIRS}.${Role}` | 'both'

export interface HttpLedgerOptions {
  /** `memory:` unless given. */
  readonly url?: string
  readonly settings?: Partial<LedgerSettings>
  readonly serve?: ServeOptions
}

export type HttpLedger = Awaited<ReturnType<typeof httpLedger>>

export async function httpLedger({
  url = 'memory:',
  settings = {},
  serve: options = {},
}: HttpLedgerOptions = {}) {
  const virtual = virtualWorld()
  // Nothing waits for a time that stands still, and the page is on the disk.
  const world = { ...virtual, timers: systemTimers, disk: nodeDisk }
  const store = await openStore(url, world)
  const ledger = new LiveLedger(store, { ...DEFAULT_SETTINGS, ...settings }, world)
  ledger.jobs.register(...protocols, WORK, TWO, EXTERNAL)
  // Tests say themselves when time passes, and see who changed what.
  const own = { callbackSecrets: CALLBACK_SECRET, keepTime: false }
  const server = await serve(ledger, { ...own, ...options, world })
  const port = Number(new URL(server.url).port)
  const client = new HttpClient(port)
  const tokens = await mintAll(ledger)

  const as = (name: TokenName, method: string, path: string, asked: Asked = {}): Promise<Answer> =>
    client.ask(method, path, { ...asked, token: tokens[name] })

  return {
    ledger,
    server,
    world: { ...world, logged: virtual.logged, clock: virtual.clock },
    port,
    tokens,
    ask: client.ask.bind(client),
    as,
    raw: (what: string | Uint8Array | RawOptions) => rawRequest(port, what),
    /** Every record there is, of all tenants. */
    records: async (): Promise<string> => {
      const all: string[] = []
      for (const kind of Object.keys(machines) as RecordKind[]) {
        for await (const record of findAll(store, { kind })) all.push(JSON.stringify(record))
      }
      return all.join('\n')
    },
    /** How long the history is, and all its records. */
    async fingerprint(): Promise<string> {
      let length = 0
      for await (const _ of ledger.audit.records()) length++
      return `${length}\n${await this.records()}`
    },
    /** What the history has since then, and where it ends now. */
    async since(cursor: string | undefined) {
      let [after, next] = [cursor, cursor]
      const items = []
      do {
        const page = await ledger.audit.query({ after, limit: 1000 })
        items.push(...page.items)
        next = page.items.at(-1)?.cursor ?? next
        after = page.next ?? undefined
      } while (after !== undefined)
      return { items, next }
    },
    session: (name: TokenName) => sessionOf(as, client, name),
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]()
      await server.close()
      await ledger.close()
    },
  }
}

async function mintAll(ledger: LiveLedger): Promise<{ readonly [name in TokenName]: string }> {
  const mint = async (name: string, role: Role, tenants: readonly string[]) =>
    [name, (await ledger.tokens.mint({ name, role, tenants })).token] as const
  const each = [
    ...ROLES.map((role) => mint(role, role, ['*'])),
    ...[OURS, THEIRS].flatMap((tenant) => ROLES.map((role) => mint(`${tenant}.${role}`, role, [tenant]))),
    mint('both', 'operator', [OURS, THEIRS]),
  ]
  return Object.fromEntries(await Promise.all(each)) as { [name in TokenName]: string }
}

/** The cookie that a browser has after somebody opened a link. */
async function sessionOf(
  as: (name: TokenName, method: string, path: string, asked?: Asked) => Promise<Answer>,
  client: HttpClient,
  name: TokenName,
): Promise<string> {
  const { json } = await as(name, 'POST', '/v1/links', { body: {} })
  const code = new URL(json.url).hash.slice(1)
  const { headers } = await client.ask('POST', '/v1/session', { body: { code } })
  return (headers['set-cookie']?.[0] ?? '').split(';')[0] as string
}

/** A request that is accepted. */
export function envelope(more: object = {}): { readonly [field: string]: unknown } {
  return {
    tenant_id: OURS,
    request_type: 'OCR',
    input_ref: 's3://in/1',
    output_ref: 's3://out/1',
    payload: {},
    schema_version: 'v1',
    ...more,
  }
}
