// What a worker shows. Off a terminal, or with --json: a line for each attempt that is over. On a terminal: how it stands
// and what runs, written over and over, and above it whatever did not go well, which stays.
import type { AuditRecord } from '../../../core/audit.ts'
import type { Logger } from '../../../world/logger.ts'
import { debugLogger } from '../../../world/logger.ts'
import { systemTimers, type Timer } from '../../../world/timers.ts'
import { LiveRegion } from '../../output/live-region.ts'
import { recordLine } from '../../output/record-line.ts'
import { safeJson, safeText } from '../../output/safe-text.ts'
import type { Session } from '../../session.ts'
import { AttemptReport } from './attempt-report.ts'

/** Drawn at most so often when something happens, and so often when nothing does, because time passes. */
const SOON_MS = 100
const LATER_MS = 1000

/** Lines for what runs. */
const MOST_LINES = 8

export class WorkerDisplay {
  readonly report = new AttemptReport()
  readonly #session: Session
  readonly #region: LiveRegion | null
  readonly #isBrief: boolean
  #timer: Timer | null = null
  #isSoon = false
  /** What is written, in order; a failure ends the worker. */
  #writing: Promise<void> = Promise.resolve()

  constructor(session: Session) {
    const { notes, out, isJson, options } = session
    this.#session = session
    const isLive = notes.stream.isTerminal && !isJson && options.quiet !== true
    this.#region = isLive ? new LiveRegion(notes.stream) : null
    this.#isBrief = isLive && out.isTerminal
  }

  /** For whatever the library and handlers have to say. */
  get logger(): Logger {
    const say = (kind: 'hint' | 'warn') => (fields: object, message: string) => {
      const { error, ...rest } = fields as { readonly error?: unknown }
      const why = error instanceof Error ? `: ${error.message}` : ''
      this.#write(() => this.#session.notes[kind](`${message}${why}`, rest)).catch(() => {})
    }
    return { debug: debugLogger.debug, info: say('hint'), warn: say('warn'), error: say('warn') }
  }

  /** Something happened. Resolves when there is room for more. */
  async take(record: AuditRecord): Promise<void> {
    const isToTell = this.report.take(record)
    if (isToTell && !(this.#isBrief && isGood(record))) await this.#write(() => this.#tell(record))
    if (this.#region !== null && !this.#isSoon) this.#drawIn(SOON_MS)
  }

  async say(message: string, details: object = {}): Promise<void> {
    await this.#write(() => this.#session.notes.hint(message, details))
  }

  start(): void {
    if (this.#region !== null) this.#drawIn(SOON_MS)
  }

  async stop(): Promise<void> {
    this.#timer?.cancel()
    await this.#write(async () => {})
    this.#timer?.cancel()
  }

  async #tell(record: AuditRecord): Promise<void> {
    const { out, isJson } = this.#session
    await out.line(isJson ? safeJson(record) : recordLine(out, record))
  }

  #write(write: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      await this.#region?.clear()
      await write()
    })
    return this.#writing
  }

  #drawIn(ms: number): void {
    this.#timer?.cancel()
    this.#isSoon = ms === SOON_MS
    this.#timer = systemTimers.after(ms, () => {
      this.#isSoon = false
      this.#writing = this.#writing.then(() => this.#region?.draw(this.#lines()))
      // Whoever writes next hears of it.
      this.#writing.catch(() => {})
      this.#drawIn(LATER_MS)
    })
  }

  #lines(): readonly string[] {
    const { report } = this
    const running = report.lines(this.#session.clock.now(), MOST_LINES).map((line) => safeText(line))
    return [`${report.running} running, ${report.text}`, ...running]
  }
}

function isGood({ event, new_state }: AuditRecord): boolean {
  return event === 'moved' && (new_state === 'SUCCEEDED' || new_state === 'SENT')
}
