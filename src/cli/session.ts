import { shownUrl } from '../errors/shown-url.ts'
import type { LedgerOptions } from '../index.ts'
import type { LiveLedger } from '../runtime/live-ledger.ts'
import type { JournalOptions } from '../store/journal/journal-options.ts'
import { optionsFor } from '../store/open-store.ts'
import type { OnProgress } from '../store/progress.ts'
import { systemClock } from '../world/clock.ts'
import { debugLogger, type Logger } from '../world/logger.ts'
import type { World } from '../world/world.ts'
import { defaultActor } from './default-actor.ts'
import type { Notes } from './output/notes.ts'
import { ProgressBar } from './output/progress.ts'
import { safeJson } from './output/safe-text.ts'
import type { TextStream } from './output/text-stream.ts'

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
  /** It stays: snapshots are made meanwhile, and what a log would have is told as it happens. */
  readonly logger?: Logger | undefined
}

const DAMAGED = 5

/** A command is over before a snapshot that began by itself would be; it would only be broken off. */
const BRIEFLY: JournalOptions = { snapshotSchedule: null, snapshotAfterBytes: Number.POSITIVE_INFINITY }

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

  /** A folder with the lock that only one process can have; a database beside everybody else. */
  openToWrite({ logger, keepHistoryMs, ...options }: WriteOptions = {}): Promise<LiveLedger> {
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
    case 'journal':
      return { journal: keepHistoryMs === undefined ? journal : { ...journal, keepHistoryMs } }
    default:
      return {}
  }
}

interface KeptOptions {
  readonly keepHistoryMs: number | undefined
  readonly isMade: boolean
}

function lowerCase(_text: string, name: string): string {
  return name.toLowerCase()
}
