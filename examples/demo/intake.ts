import { type Envelope, LimitReached } from 'waybill'
import { isKnown, type Pdf } from './library.ts'
import type { Scene } from './scene.ts'

const CALL = { actor: 'intake' }

/** So many are sent at once: they share a write, and few are refused when there is room for one only. */
const AT_ONCE = 4

/** A digest is wanted of this one; its PDF turns out to be encrypted. */
const WANTS_DIGEST = 62

/** Brings the PDFs of one tenant in, as fast as its limit of open jobs allows, then asks for an index of them. */
export class Intake {
  readonly #scene: Scene
  readonly #tenant: string
  readonly #pdfs: readonly Pdf[]
  /** Not in yet. */
  #waiting: readonly Pdf[]
  duplicates = 0

  constructor(scene: Scene, tenant_id: string, pdfs: readonly Pdf[]) {
    this.#scene = scene
    this.#tenant = tenant_id
    this.#pdfs = pdfs
    this.#waiting = pdfs
  }

  /** Goes on until everything is in or the ledger says that it is enough for now. */
  async fill(): Promise<void> {
    while (this.#waiting.length > 0) {
      const sent = this.#waiting.slice(0, AT_ONCE)
      const answers = await Promise.all(sent.map((pdf) => refusalOf(() => this.#bring(pdf))))
      const refused = sent.filter((_, i) => answers[i] !== null)
      this.#waiting = [...refused, ...this.#waiting.slice(AT_ONCE)]
      const refusal = answers.find((answer) => answer !== null)
      if (refusal != null) return this.#comeBack(refusal)
    }
    const refusal = await refusalOf(() => this.#submitIndex())
    if (refusal !== null) this.#comeBack(refusal)
  }

  #comeBack(refusal: LimitReached): void {
    const { refused, agenda } = this.#scene
    const first = !refused.some(({ code }) => code === refusal.code)
    if (first) refused.push(refusal)
    agenda.in(refusal.retryAfterSeconds * 1000, () => this.fill())
  }

  async #bring(pdf: Pdf): Promise<void> {
    const { ledger } = this.#scene
    const { doc_id, tenant_id, number } = pdf
    if (isKnown(pdf)) {
      const reason = 'already in the library'
      await ledger.documents.updateState(doc_id, 'skipped', { ...CALL, tenant_id, reason })
      return
    }
    if (number === WANTS_DIGEST) {
      // Both or neither; the order does not matter, though one waits for the other.
      await ledger.batch((make) => [
        make.submit(this.#digestOf(pdf), CALL),
        make.submit(this.#ingestOf(pdf), CALL),
      ])
      return
    }
    await ledger.jobs.submit(this.#ingestOf(pdf), CALL)
    // The client did not hear the answer and sends the same request again.
    if (number % 100 === 1 && (await ledger.jobs.submit(this.#ingestOf(pdf), CALL)).duplicate)
      this.duplicates++
  }

  async #submitIndex(): Promise<void> {
    const waitsFor = this.#pdfs.filter((pdf) => !isKnown(pdf)).map(({ job_id }) => job_id)
    await this.#scene.ledger.jobs.submit(
      {
        ...this.#request('BUILD_INDEX', `index-${this.#tenant}`, `text/${this.#tenant}`),
        depends_on: waitsFor,
        // An index of what succeeded is better than none.
        on_dependency_failure: 'release',
      },
      CALL,
    )
  }

  #ingestOf({ job_id, doc_id }: Pdf): Envelope {
    return { ...this.#request('PDF_INGEST', job_id, `pdf/${doc_id}`), doc_id }
  }

  #digestOf({ job_id, doc_id }: Pdf): Envelope {
    const digest = this.#request('BUILD_INDEX', `digest-${doc_id.replace(':', '-')}`, `text/${doc_id}`)
    return { ...digest, depends_on: [job_id], on_dependency_failure: 'fail' }
  }

  #request(request_type: string, job_id: string, input_ref: string): Envelope {
    return {
      tenant_id: this.#tenant,
      request_type,
      job_id,
      input_ref,
      output_ref: `out/${job_id}`,
      payload: {},
      schema_version: 'v1',
    }
  }
}

/** Null when it went well, else why it has to wait. */
async function refusalOf(action: () => Promise<void>): Promise<LimitReached | null> {
  try {
    await action()
    return null
  } catch (error) {
    if (error instanceof LimitReached) return error
    throw error
  }
}
