import type { Pdf } from './library.ts'
import { expectRefusal, type Scene } from './scene.ts'

/** Things that people do while the machines are at work; each happens once, as soon as its moment has come. */
export class Incidents {
  readonly #scene: Scene
  readonly #hurried: Pdf
  readonly #mistaken: Pdf
  #hurriedDone = false
  #mistakenDone = false

  constructor(scene: Scene, hurried: Pdf, mistaken: Pdf) {
    this.#scene = scene
    this.#hurried = hurried
    this.#mistaken = mistaken
  }

  async look(): Promise<void> {
    if (!this.#hurriedDone) await this.#jumpAhead()
    if (!this.#mistakenDone) await this.#cancel()
  }

  /** A script would like the document to be ready already. */
  async #jumpAhead(): Promise<void> {
    const { documents } = this.#scene.ledger
    const { doc_id, tenant_id } = this.#hurried
    if ((await documents.getState(doc_id, tenant_id)) !== 'fetching') return
    this.#hurriedDone = true
    const call = { tenant_id, actor: 'impatient-script' }
    await expectRefusal(this.#scene, () => documents.updateState(doc_id, 'ir_ready', call))
  }

  /** Maria uploaded the wrong scan and cancels its job while a worker is busy with it. */
  async #cancel(): Promise<void> {
    const { jobs } = this.#scene.ledger
    const { job_id, tenant_id } = this.#mistaken
    const job = await jobs.get(job_id, tenant_id)
    if (job?.current_step_id !== 'embed' || job.ready !== null) return
    this.#mistakenDone = true
    await jobs.cancel(job_id, { tenant_id, actor: 'maria', reason: 'wrong scan uploaded' })
  }
}

/** A request for something that nobody offers. */
export async function misspell(scene: Scene): Promise<void> {
  await expectRefusal(scene, () =>
    scene.ledger.jobs.submit({
      tenant_id: 'aurora',
      request_type: 'PDF_INGETS',
      input_ref: 'pdf/aurora:0001',
      output_ref: 'out/typo',
      payload: {},
      schema_version: 'v1',
    }),
  )
}
