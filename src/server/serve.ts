import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { SECOND_MS } from '../core/time.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { ServiceStopping } from '../errors/message-errors.ts'
import { JobLogs } from '../orchestrator/logs/job-logs.ts'
import type { Adapter } from '../orchestrator/tools/adapter.ts'
import { ClaimLines } from '../runtime/claim-lines.ts'
import type { LiveLedger } from '../runtime/live-ledger.ts'
import type { ServerNotice } from '../store/store.ts'
import type { ListenOptions } from '../wire/listen.ts'
import { problemOf } from '../wire/problem.ts'
import type { Secrets } from '../wire/secrets.ts'
import { nodeFileSystem } from '../world/node-file-system.ts'
import { realWorld, type World } from '../world/world.ts'
import { createApp } from './app.ts'
import { Authenticator } from './auth/authenticator.ts'
import { SignedMessages } from './auth/signed-messages.ts'
import { TokenBook } from './auth/token-book.ts'
import { TokenWatch } from './auth/token-watch.ts'
import { EventHub } from './events/event-hub.ts'
import { measureHttp } from './http-metrics.ts'
import { Looks } from './looks.ts'
import { PageFiles } from './page-files.ts'
import { ROUTES } from './routes/all.ts'
import { linkTo } from './routes/session.ts'
import { Hosts } from './security/hosts.ts'

export interface ServeOptions extends ListenOptions {
  /** False lets everybody in who can reach the server, which then must be this machine only. */
  readonly auth?: boolean | undefined
  /** Names that the server goes by, beside those of this machine. */
  readonly allowHosts?: readonly string[] | undefined
  /** The address that people and services reach it at, when that is another than the one it listens at. */
  readonly publicUrl?: string | undefined
  /** False leaves out the routes under `/v1/admin`. */
  readonly admin?: boolean | undefined
  /** False when somebody else does whatever is due: a worker that runs elsewhere, say. */
  readonly keepTime?: boolean | undefined
  /** Longest body that is read; 1 MiB when absent. */
  readonly maxBytes?: number | undefined
  /** How long answers that are under way may take when it closes; 10 seconds when absent. */
  readonly closeMs?: number | undefined
  /** Tools that jobs may be queued for, beside those that come with Waybill. */
  readonly adapters?: readonly Adapter[] | undefined
  /** How long a request may take to come, in milliseconds; 30 seconds when absent. */
  readonly requestTimeoutMs?: number | undefined
  /** What services sign callbacks with; without it they need a token. */
  readonly callbackSecrets?: Secrets | undefined
  /** The registry that the ledger was opened with; then there is `/metrics`. */
  readonly metrics?: Registry | undefined
  readonly world?: Partial<World> | undefined
}

const LOOPBACK = '127.0.0.1'
const LOOPBACKS = new Set([LOOPBACK, '::1', 'localhost'])
const MAX_BYTES = 1024 * 1024
const REQUEST_TIMEOUT_MS = 30 * SECOND_MS
/** What is still being answered when the server closes may take so long. */
const CLOSE_MS = 10 * SECOND_MS
const SECRET_BYTES = 32
/** The same folder for the source and for the package: what Vite made of `ui/`. */
const PAGE = fileURLToPath(new URL('../../dist/page', import.meta.url))

/**
 * Serves a ledger over HTTP, and keeps its time: leases of workers elsewhere end, schedules submit their jobs. Close it before
 * the ledger, or declare it with `await using` after it.
 */
export async function serve(ledger: LiveLedger, options: ServeOptions = {}): Promise<HttpServer> {
  const server = new HttpServer(ledger, options)
  try {
    await server.listen()
  } catch (error) {
    await server.close()
    throw error
  }
  if (options.keepTime !== false) ledger.keepTime()
  return server
}

export class HttpServer implements AsyncDisposable {
  readonly #ledger: LiveLedger
  readonly #options: ServeOptions
  readonly #world: World
  readonly #stopping = new AbortController()
  readonly #lines: ClaimLines
  readonly #authenticator: Authenticator
  readonly #hub: EventHub
  readonly #tokenWatch: TokenWatch
  #app: FastifyInstance | null = null
  #url = ''
  #closed: Promise<void> | null = null

  constructor(ledger: LiveLedger, options: ServeOptions) {
    checkOptions(options)
    this.#ledger = ledger
    this.#options = options
    this.#world = { ...realWorld, logger: ledger.logger, ...options.world }
    const { clock, secrets } = this.#world
    this.#lines = new ClaimLines(ledger, this.#world)
    this.#authenticator = new Authenticator({
      tokens: new TokenBook(ledger.tokens, clock),
      clock,
      makeSecret: () => Buffer.from(secrets.bytes(SECRET_BYTES)).toString('base64url'),
      isNeeded: options.auth !== false,
      onAdmitted: (token_id) => this.#tokenWatch.add(token_id),
    })
    this.#hub = new EventHub({
      ledger,
      world: this.#world,
      // Without tokens everybody is the same one.
      ...(options.auth === false ? { mostPerPrincipal: Number.POSITIVE_INFINITY } : null),
    })
    this.#tokenWatch = new TokenWatch({
      tokens: ledger.tokens,
      world: this.#world,
      onEnded: (token_id) => {
        this.#authenticator.revoked(token_id)
        this.#hub.dropWhere((principal) => principal.token_id === token_id)
      },
    })
  }

  /** Where it is reached. */
  get url(): string {
    return this.#options.publicUrl ?? this.#url
  }

  /** Opens the page for whoever runs the server, once. */
  link(): string {
    return linkTo(this.url, this.#authenticator.sessions.link(this.#authenticator.owner).code)
  }

  /** A token for programs on this machine, for as long as the server runs. */
  get localSecret(): string {
    return this.#authenticator.localSecret
  }

  async listen(): Promise<void> {
    const { port = 0, host = LOOPBACK, maxBytes = MAX_BYTES, metrics } = this.#options
    const hasAdmin = this.#options.admin !== false
    const routes = ROUTES.filter(({ isAdmin }) => hasAdmin || isAdmin !== true)
    this.#app = createApp({
      routes,
      server: {
        ledger: this.#ledger,
        clock: this.#world.clock,
        lines: this.#lines,
        authenticator: this.#authenticator,
        hub: this.#hub,
        logs: new JobLogs({
          files: nodeFileSystem,
          ledger: this.#ledger.identity,
          redact: this.#ledger.redact,
        }),
        looks: new Looks(this.#ledger, this.#world.clock),
        adapters: this.#options.adapters ?? [],
        hasAdmin,
        url: () => this.url,
        readiness: () => this.#readiness(),
        registry: metrics ?? null,
      },
      hosts: new Hosts(namesOf(this.#options)),
      world: this.#world,
      stopping: this.#stopping.signal,
      maxBytes,
      requestTimeoutMs: this.#options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      signed: new SignedMessages(this.#options.callbackSecrets, this.#world.clock),
      page: await PageFiles.in(PAGE, this.#world.disk),
    })
    if (metrics !== undefined) {
      await measureHttp(this.#app, metrics, { hub: this.#hub, lines: this.#lines })
    }
    this.#tokenWatch.start()
    await this.#app.listen({ port, host })
    const address = this.#app.server.address() as AddressInfo
    const name = isAnyAddress(host) ? LOOPBACK : bracketed(address.address)
    this.#url = `http://${name}:${address.port}`
    await this.#announce({ server: this.#url, secret: this.localSecret })
  }

  /** Takes no more requests, lets those that wait go, and resolves when all are answered or had the time for it. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    // Whoever waits is told so.
    this.#stopping.abort(new ServiceStopping())
    this.#tokenWatch.stop()
    const app = this.#app
    if (app === null) return
    await this.#announce(null)
    const { closeMs = CLOSE_MS } = this.#options
    const timer = this.#world.timers.after(closeMs, () => app.server.closeAllConnections())
    try {
      await Promise.all([this.#lines.stop(), this.#hub.stop(), app.close()])
    } finally {
      timer.cancel()
    }
  }

  /** It serves those who know where it is, whether it can tell others or not. */
  async #announce(notice: ServerNotice | null): Promise<void> {
    try {
      await this.#ledger.announce(notice)
    } catch (error) {
      this.#world.logger.warn({ err: error }, 'The command line cannot be told where the server is')
    }
  }

  async #readiness(): Promise<string | null> {
    if (this.#stopping.signal.aborted) return 'The server is about to end'
    try {
      await this.#ledger.probe()
      return null
    } catch (error) {
      // Anybody may ask: where the ledger is, and how it is reached, is for the log.
      this.#world.logger.warn({ err: error }, 'The ledger cannot be used')
      return String(problemOf(error).body.title)
    }
  }
}

function checkOptions({ auth, host = LOOPBACK, publicUrl }: ServeOptions): void {
  if (publicUrl !== undefined && URL.parse(publicUrl)?.origin !== publicUrl) {
    const next = 'Write https://waybill.example.com, and nothing behind it.'
    throw new InvalidInput('publicUrl', `${JSON.stringify(publicUrl)} is not an address of a server`, next)
  }
  if (auth !== false || LOOPBACKS.has(host)) return
  throw new InvalidInput(
    'auth',
    `Without tokens the server may only listen on this machine, not on ${host}`,
    'Leave out --no-auth and make tokens, or leave out --host.',
  )
}

/** What requests may call it by, beside the names of this machine. */
function namesOf({ host = LOOPBACK, allowHosts = [], publicUrl }: ServeOptions): readonly string[] {
  return [
    ...allowHosts,
    ...(isAnyAddress(host) ? [] : [bracketed(host)]),
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
  ]
}

function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}
