import type { Ledger, Worker, WorkerOptions } from 'waybill'
import { ingestHandlers } from './pdf-ingest.ts'
import { bankTransfer, contracts, invoices, newsletter, pdfTwoPhase, webCrawl } from './pipelines.ts'

/** Whoever is at work when the demo ends may finish within this time. */
const GRACE = '300ms'

/** Everybody who works in this process, by name. They stop together. */
export class Staff implements AsyncDisposable {
  readonly #workers: readonly Worker[]

  constructor(ledger: Ledger) {
    const named = (name: string, concurrency: number): WorkerOptions => ({ name, concurrency, grace: GRACE })
    this.#workers = [
      ledger.work([pdfTwoPhase], named('pdf-1', 3)),
      ledger.work([pdfTwoPhase], named('pdf-2', 3)),
      ledger.work([webCrawl], named('crawler', 6)),
      ledger.work([invoices, bankTransfer, contracts, newsletter], named('clerk', 3)),
      ledger.work(ingestHandlers, named('scanner', 4)),
    ]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()))
  }
}
