import type { OutboxRecord } from 'waybill'
import { entering, fail, succeeded } from './document-moves.ts'
import { durationOf, fateOf, type Pdf } from './library.ts'
import type { Scene } from './scene.ts'

const ACK_MS = 200
const PUBLISH_LIMIT = 50

/** A service somewhere else: directives are published to it, and it calls back. */
export class OcrService {
  readonly #scene: Scene
  readonly #pdfs: ReadonlyMap<string, Pdf>
  /** The network is down for the first few directives. */
  #outages = 3

  constructor(scene: Scene, pdfs: ReadonlyMap<string, Pdf>) {
    this.#scene = scene
    this.#pdfs = pdfs
  }

  /** The dispatcher: publishes what the outbox holds and writes down how that went. */
  async publish(): Promise<void> {
    const { jobs } = this.#scene.ledger
    const rows = await jobs.takeDirectives({
      services: ['ocr'],
      dispatcher: 'dispatcher',
      limit: PUBLISH_LIMIT,
    })
    await Promise.all(rows.map((row) => this.#send(row)))
  }

  async #send(row: OutboxRecord): Promise<void> {
    const { ledger, underWay } = this.#scene
    if (this.#outages > 0) {
      this.#outages--
      const error = { code: 'ECONNREFUSED', message: 'The message bus does not answer' }
      await ledger.jobs.publishFailed(row, error, { actor: 'dispatcher' })
    } else {
      underWay.push(ledger.jobs.sent(row, { actor: 'dispatcher' }))
      this.#receive(row)
    }
  }

  #receive(row: OutboxRecord): void {
    const pdf = this.#pdfs.get(row.job_id)
    if (pdf === undefined) return
    const fate = fateOf(pdf.number, 'ocr', row.attempt_no)
    if (fate.kind === 'falls silent') return
    const { ledger } = this.#scene
    const call = { actor: 'ocr' }
    this.#scene.agenda.in(ACK_MS, async () => {
      const enter = await entering(this.#scene, pdf, 'ocr')
      await ledger.batch((make) => [make.ack(row, call), ...enter(make)])
    })
    this.#scene.agenda.in(ACK_MS + durationOf(pdf.number, 'ocr'), async () => {
      if (fate.kind === 'works') {
        await ledger.batch((make) => [
          make.result(row, { status: 'SUCCEEDED', output_ref: `text/${pdf.doc_id}` }, call),
          ...succeeded(make, pdf, 'ocr'),
        ])
      } else {
        const { code, message, retryable } = fate
        const failure_class = retryable ? 'RETRYABLE' : 'NON_RETRYABLE'
        const failed = { status: 'FAILED', failure_class, error: { code, message } } as const
        const { retry_at } = await ledger.jobs.result(row, failed, call)
        await fail(this.#scene, pdf, 'ocr', fate, retry_at)
      }
    })
  }
}
