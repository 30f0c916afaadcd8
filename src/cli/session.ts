import { NoServer } from '../errors/http-errors.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { LedgerLocked } from '../errors/journal-errors.ts'
import { shownUrl } from '../errors/shown-url.ts'
import type { LedgerOptions } from '../index.ts'
import type { LiveLedger } from '../runtime/live-ledger.ts'
import type { JournalOptions } from '../store/journal/journal-options.ts'
import { isFolder, optionsFor } from '../store/open-store.ts'
import type { OnProgress } from '../store/progress.ts'
import { systemClock } from '../world/clock.ts'
import { debugLogger, type Logger } from '../world/logger.ts'
import { heldPause } from '../world/pause.ts'
import { systemTimers } from '../world/timers.ts'
import type { World } from '../world/world.ts'
import { defaultActor } from './default-actor.ts'
import type { Notes } from './output/notes.ts'
import { ProgressBar } from './output/progress.ts'
import { safeJson } from './output/safe-text.ts'
import type { TextStream } from './output/text-stream.ts'
import type { ChangeableLedger } from './remote/changeable-ledger.ts'
import { isServerUrl, serverAt, serverOf } from './remote/find-server.ts'
import type { RemoteLedger } from './remote/remote-ledger.ts'

/** What every command takes. */
export interface GlobalOptions {
  readonly ledger: string
  readonly tenant?: string
  readonly actor?: string
  readonly json?: boolean
  readonly quiet?: boolean
}

/** How a command wants to write. */
export interface WriteOptions {
  readonly create?: boolean | undefined
  readonly protocols?: LedgerOptions['protocols']
  readonly inFlightLimit?: number | undefined
  readonly strictIdempotency?: boolean | undefined
  /** History that is older goes when the ledger clears up; none does unless told. */
  readonly keepHistoryMs?: number | undefined
  /** Where services report that are told nothing else. */
  readonly callbackUrl?: string | undefined
  readonly metrics?: LedgerOptions['metrics']
  /** What to do when a server has the ledger, for a command that cannot go through it. */
  readonly instead?: string | undefined
  /** It stays: snapshots are made meanwhile, and what a log would have is told as it happens. */
  readonly logger?: Logger | undefined
}

const DAMAGED = 5

/** A command is over before a snapshot that began by itself would be; it would only be broken off. */
const BRIEFLY: JournalOptions = { snapshotSchedule: null, snapshotAfterBytes: Number.POSITIVE_INFINITY }

/** A server that ends, or one that begins, is given so much time. */
const MOST_TRIES = 10
const RETRY_MS = 100

/** One run of a command: what it was told, where its output goes, what it opened, and how it ends. */
export class Session {
  readonly options: GlobalOptions
  readonly out: TextStream
  readonly notes: Notes
  readonly clock = systemClock
  /** A command that was asked to end has so long for it; whatever it is up to then, the process ends. Null for no bound. */
  endWithinMs: number | null = null
  #exitCode = 0
  readonly #ledgers: LiveLedger[] = []
  #bar: ProgressBar | null = null
  #isStopped = false
  #remote: RemoteLedger | null = null
  #instead: string | null = null
  #ending: AbortController | null = null
  /** What was warned of, by message: some of it is found more than once. */
  readonly #logged = new Set<string>()

  constructor(options: GlobalOptions, out: TextStream, notes: Notes) {
    this.options = options
    this.out = out
    this.notes = notes
  }

  get exitCode(): number {
    return this.#exitCode
  }

  /** Somebody pressed Ctrl-C. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  get isJson(): boolean {
    return this.options.json === true
  }

  /** The command found something: of several such things the worst decides how it ends. */
  found(exitCode: number): void {
    this.#exitCode = Math.max(this.#exitCode, exitCode)
  }

  /** The library is loaded when it is needed: help and mistakes are answered without it. */
  library(): Promise<typeof import('../index.ts')> {
    return import('../index.ts')
  }

  /**
   * Beside whoever writes to it. One that is damaged is read as far as it goes, and the command ends with 5. Nothing is made
   * where there is none, and no tables are changed.
   */
  async openToRead(): Promise<LiveLedger> {
    const ledger = await this.#open({ journal: { readOnly: true }, create: false })
    const { storage } = await ledger.stats()
    if (storage?.damage != null) {
      await this.notes.warn(`The ledger is damaged; this is what can be read. ${storage.damage}`, {
        next: this.hintOf('ledger repair'),
      })
      this.found(DAMAGED)
    }
    return ledger
  }

  /**
   * To change something: the ledger itself or, when a server has it, that server, which is found by what it left in the
   * folder. Either way the history names whoever runs the command.
   */
  async openToChange(options: WriteOptions = {}): Promise<ChangeableLedger> {
    const isStrict = options.strictIdempotency === true
    if (isServerUrl(this.options.ledger)) return this.#remember(await serverAt(this.options, isStrict))
    for (let tries = 1; ; tries++) {
      try {
        return await this.openToWrite(options)
      } catch (error) {
        if (!isServed(error)) throw error
        const server = await serverOf(this.options, isStrict)
        if (server !== null) return this.#remember(server)
        // Whoever is named there is no more, or not yet: the lock is about to be free, or to say more.
        if (tries === MOST_TRIES) throw error
        await heldPause(systemTimers, RETRY_MS)
      }
    }
  }

  /** The server that has the ledger, for what only a server can do. */
  async openServer(): Promise<RemoteLedger> {
    if (isServerUrl(this.options.ledger)) return this.#remember(await serverAt(this.options, false))
    const server = isFolder(this.options.ledger) ? await serverOf(this.options, false) : null
    if (server !== null) return this.#remember(server)
    const next = `Start one: ${this.hintOf('serve')}; or name it: --ledger http://127.0.0.1:7420, with a token in WAYBILL_TOKEN.`
    throw new NoServer(`No server says that it has ${this.shownLedger}`, next)
  }

  /** Where the server is that the command talks to; null when it has opened the ledger itself. */
  get serverUrl(): string | null {
    return this.#remote?.url ?? null
  }

  #remember(remote: RemoteLedger): RemoteLedger {
    this.#remote = remote
    return remote
  }

  /** A folder with the lock that only one process can have; a database beside everybody else. */
  openToWrite({ logger, keepHistoryMs, instead, ...options }: WriteOptions = {}): Promise<LiveLedger> {
    this.#instead = instead ?? null
    return this.#open(
      // What is undefined has its default; the types of the library leave that unsaid for settings.
      { create: false, ...options, ...(logger === undefined ? { journal: BRIEFLY } : null) } as LedgerOptions,
      { logger, keepHistoryMs },
    )
  }

  async #open(
    { journal, ...options }: LedgerOptions,
    { logger, keepHistoryMs }: Pick<WriteOptions, 'logger' | 'keepHistoryMs'> = {},
  ): Promise<LiveLedger> {
    // Not by way of the whole library: pipelines and tools are not needed to look at a ledger.
    const { openLedger } = await import('../open-ledger.ts')
    const { ledger: url, tenant: tenant_id } = this.options
    if (isServerUrl(url)) throw needsLedger(this.shownLedger)
    const ledger = await openLedger(url, {
      ...options,
      actor: this.options.actor ?? defaultActor(),
      ...(tenant_id === undefined ? null : { tenant_id }),
      ...engineOptions(url, { journal, keepHistoryMs, isMade: options.create === true }),
      world: { warn: this.#warn, logger: logger ?? { ...debugLogger, warn: this.#logWarning } },
    })
    this.#ledgers.push(ledger)
    return ledger
  }

  /** What a library tells developers is told to the user in the same voice as everything else. */
  readonly #warn: World['warn'] = (message, code) => {
    // Of damage everybody is told by the error or the warning that follows from it.
    if (code !== 'WAYBILL_LEDGER_DAMAGED')
      this.notes.warn(message.replace(/LedgerState\.(\w+)/, lowerCase)).catch(() => {})
  }

  /** What a log would have: a crash that was cleaned up after, a snapshot that was damaged and not needed. */
  readonly #logWarning = (fields: object, message: string): void => {
    // What is not about a file is about the command, and told by its answer.
    if (!('file' in fields) || this.#logged.has(message)) return
    this.#logged.add(message)
    this.notes.warn(message, fields).catch(() => {})
  }

  /** A single result: one JSON object. */
  json(value: unknown): Promise<void> {
    return this.out.line(safeJson(value))
  }

  /** Runs long work; on a terminal it is seen how far it is. */
  async withProgress<T>(work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
    if (!this.notes.stream.isTerminal || this.options.quiet === true) return work(() => {})
    this.#bar = await ProgressBar.on(process.stderr, this.clock)
    try {
      return await work(this.#bar.update)
    } finally {
      this.#bar.stop()
      this.#bar = null
    }
  }

  /** What to do when a server has the ledger that this command needs for itself. */
  get insteadOfLock(): string | null {
    return this.#instead
  }

  /** Where the ledger is, as it may be shown. */
  get shownLedger(): string {
    return shownUrl(this.options.ledger)
  }

  /** A command to try next, for this ledger. */
  hintOf(command: string): string {
    const ledger = this.shownLedger
    // What is left out of the URL the variable has.
    const isKnown = ledger !== this.options.ledger && this.options.ledger === process.env.WAYBILL_LEDGER
    if (isKnown) return `waybill ${command}`
    const quoted = /^[\w./:@%+=-]+$/.test(ledger) ? ledger : `'${ledger.replaceAll("'", "'\\''")}'`
    return `waybill ${command} --ledger ${quoted}`
  }

  /**
   * For a command that goes on until somebody stops it: aborted by the first Ctrl-C, after which the command has to end
   * by itself, in good order.
   */
  get ending(): AbortSignal {
    this.#ending ??= new AbortController()
    return this.#ending.signal
  }

  /** Asks the command to end. False when it does not listen, or was asked before. */
  askToEnd(): boolean {
    if (this.#ending === null || this.#ending.signal.aborted) return false
    this.#ending.abort()
    return true
  }

  /** What is under way becomes durable, and the terminal is as it was. */
  stop(): Promise<void> {
    this.#isStopped = true
    return this.close()
  }

  async close(): Promise<void> {
    this.#bar?.stop()
    await this.#remote?.close()
    for (const ledger of this.#ledgers.splice(0)) await ledger.close()
  }
}

/** Only `init`, and what makes a ledger as well, brings tables up to date: others may still work with them as they are. */
function engineOptions(
  url: string,
  { journal, keepHistoryMs, isMade }: Pick<LedgerOptions, 'journal'> & KeptOptions,
): LedgerOptions {
  switch (optionsFor(url)) {
    case 'postgres':
      return { postgres: { migrate: isMade, keepHistoryMs } }
    case 'sqlite':
      return { sqlite: { keepHistoryMs } }
    case 'azureTables':
      return { azureTables: { keepHistoryMs } }
    case 'journal':
      return { journal: keepHistoryMs === undefined ? journal : { ...journal, keepHistoryMs } }
    default:
      return {}
  }
}

function isServed(error: unknown): boolean {
  return error instanceof LedgerLocked && error.details.server !== null
}

/** Programs know where they are: those that only read may do so beside a server, and need no more than the folder. */
function needsLedger(shown: string): InvalidInput {
  const next =
    'Commands that change something can be told a server; for others run them where the ledger is, with --ledger FOLDER.'
  return new InvalidInput('ledger', `This needs the ledger itself, and ${shown} is a server`, next)
}

interface KeptOptions {
  readonly keepHistoryMs: number | undefined
  readonly isMade: boolean
}

function lowerCase(_text: string, name: string): string {
  return name.toLowerCase()
}
