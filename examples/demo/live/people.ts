import type { Ledger } from 'waybill'
import { openJobs } from './open-jobs.ts'
import { pdfTwoPhase, webCrawl } from './pipelines.ts'

/** So many are left waiting at the gate: for whoever looks at the page. */
const LEFT_AT_GATE = 3

/** What people and their scripts do while the machines are at work. */
export class People {
  readonly #ledger: Ledger

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** Maria reads what is there, the oldest first, and is never quite done. */
  async approve(): Promise<void> {
    const open = await openJobs(this.#ledger, pdfTwoPhase.name)
    const waiting = open.filter(
      ({ current_step_id, metadata }) => current_step_id === 'embed' && metadata.approved !== true,
    )
    const [oldest] = waiting.slice(0, -LEFT_AT_GATE)
    if (oldest === undefined) return
    const { job_id, tenant_id } = oldest
    const call = { tenant_id, actor: 'maria', reason: 'read, and found good' }
    await this.#ledger.jobs.annotate(job_id, { approved: true, approved_by: 'maria' }, call)
  }

  /** A script would like a document to be ready that has only just been asked for: the ledger refuses. */
  async jumpAhead(): Promise<void> {
    const { items } = await this.#ledger.documents.list({
      tenant_id: '*',
      state: ['fetching', 'parsing'],
      order: 'changed',
      direction: 'desc',
      limit: 1,
    })
    const [document] = items
    if (document === undefined) return
    const { doc_id, tenant_id } = document
    await this.#ledger.documents.updateState(doc_id, 'completed', { tenant_id, actor: 'impatient-script' })
  }

  /** Otto changes his mind about a page: its job is cancelled and its document given up, both or neither. */
  async cancel(): Promise<void> {
    const open = await openJobs(this.#ledger, webCrawl.name)
    const last = open.findLast(({ current_step_id }) => current_step_id === 'render')
    if (last === undefined) return
    const { job_id, doc_id, tenant_id } = last
    const call = { tenant_id, actor: 'otto', reason: 'not needed any more' }
    await this.#ledger.batch((make) => [
      make.cancel(job_id, call),
      ...(doc_id === null ? [] : [make.updateState(doc_id, 'failed', call)]),
    ])
  }
}
