import { Presets, SingleBar } from 'cli-progress'
import { type AuditRecord, type Ledger, START } from 'waybill'
import type { VirtualWorld } from 'waybill/testing'
import { clock, count, paint } from './paint.ts'

const FRAMES_PER_SECOND = 60
/** What a shell expects of a program that was stopped by Ctrl-C. */
const INTERRUPTED = 130

const FINISHED = ['completed', 'failed', 'skipped'] as const

/** Shows how far it is: a bar on a terminal, a line for every fifth of the way anywhere else. */
export class Progress {
  readonly #ledger: Ledger
  readonly #world: VirtualWorld
  /** The history as it happens: the same feed that anybody may follow. */
  readonly #events: AsyncIterator<AuditRecord>
  readonly #bar: SingleBar | undefined
  /** Ctrl-C leaves the terminal as it was. */
  readonly #interrupted = () => {
    this.stop()
    process.exit(INTERRUPTED)
  }
  readonly #beganMs: number
  #fifths = 0
  #seen = 0
  #retries = 0

  constructor(ledger: Ledger, world: VirtualWorld, total: number) {
    this.#ledger = ledger
    this.#world = world
    this.#beganMs = world.clock.now()
    this.#events = ledger.events({ after: START })[Symbol.asyncIterator]()
    if (!process.stdout.isTTY) return
    const format = `  ${paint('cyan', '{bar}')} {percentage}% │ {value}/{total} PDFs │ {retries} retries │ {time}`
    this.#bar = new SingleBar(
      {
        stream: process.stdout,
        fps: FRAMES_PER_SECOND,
        barsize: 27,
        hideCursor: true,
        format,
      },
      Presets.shades_classic,
    )
    this.#bar.start(total, 0, { retries: 0, time: clock(0) })
    process.once('SIGINT', this.#interrupted)
  }

  async look(total: number): Promise<void> {
    await this.#catchUp()
    const counts = await this.#ledger.counts('document')
    const finished = FINISHED.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
    const time = clock(this.#world.clock.now() - this.#beganMs)
    this.#bar?.update(finished, { retries: this.#retries, time })
    // A turn of the event loop: the terminal gets to draw, and Ctrl-C gets through.
    await new Promise((resolve) => setImmediate(resolve))
    const fifths = Math.floor((finished / total) * 5)
    if (this.#bar !== undefined || fifths === this.#fifths) return
    this.#fifths = fifths
    console.log(`  ${time}  ${count(finished)} of ${count(total)} PDFs, ${this.#retries} retries`)
  }

  /** Reads the feed up to now, and no further: at the end of it, it would wait for more. */
  async #catchUp(): Promise<void> {
    const { audit_records } = await this.#ledger.stats()
    for (; this.#seen < audit_records; this.#seen++) {
      const { value } = await this.#events.next()
      if (value?.kind === 'step' && value.new_state === 'FAILED_RETRY') this.#retries++
    }
  }

  stop(): void {
    process.off('SIGINT', this.#interrupted)
    this.#bar?.stop()
  }
}
