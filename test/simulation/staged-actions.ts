import type { StageReport } from '../../src/core/job/commands.ts'
import type { JobRecord, Rung } from '../../src/core/job/record.ts'
import { nextStates } from '../../src/core/machine.ts'
import { documentMachine } from '../../src/core/machines/document.ts'
import type { Envelope } from '../../src/ledger/request.ts'
import type { Client } from './client.ts'
import { DOCUMENTED, EXTERNAL, GATED, PROTOCOLS, TENANTS } from './protocols.ts'
import type { Scene } from './scene.ts'
import { nameOf } from './shadow.ts'
import { short } from './trace.ts'

const ACTIONS = {
  'submit in a run': 8,
  'submit a gated one': 6,
  'submit one about a document': 6,
  'submit for another scheduler': 5,
  'submit with a ladder': 5,
  'say go': 8,
  'move a document': 10,
  'report a stage': 16,
  'report it again': 4,
  'seal a run': 2,
  'end a run': 1,
} as const

type Action = keyof typeof ACTIONS

/** Ways down for the states of a document that others take care of. */
const TOWARDS = ['parsing', 'parsed', 'retrying', 'fetching']

const REFUSED = [
  'INVALID_STATE_TRANSITION',
  'STEP_NOT_REACHED',
  'NOT_CLAIMABLE',
  'RUN_CLOSED',
  'NOT_FOUND',
] as const

/** What clients do that have a say in how jobs come on. */
export class StagedActions {
  readonly #scene: Scene
  readonly #client: Client
  /** The last report, which its scheduler may not have been answered. */
  #last: (() => Promise<void>) | null = null

  constructor(scene: Scene, client: Client) {
    this.#scene = scene
    this.#client = client
  }

  act(): Promise<void> {
    return this.#actions[this.#scene.dice.weighed(ACTIONS)]()
  }

  /** Nobody else would end what another scheduler has not begun with. */
  async clearUp(): Promise<void> {
    const { laws } = this.#scene
    for (const { job } of laws.shadow.openJobs()) {
      if (job.request_type !== EXTERNAL) continue
      const { job_id, tenant_id } = job
      await this.#client.ask(`give up ${short(job_id)}`, ({ jobs }) => jobs.cancel(job_id, { tenant_id }))
    }
    for (const { run_id, tenant_id } of laws.shadow.runs.values()) {
      if (this.#scene.dice.chance(0.5)) await this.#seal(run_id, tenant_id)
    }
  }

  readonly #actions: { readonly [A in Action]: () => Promise<void> } = {
    'submit in a run': () => this.#submit({}),
    'submit a gated one': () => this.#submit({ request_type: GATED }),
    'submit one about a document': () =>
      this.#submit({ request_type: DOCUMENTED, doc_id: `book-${this.#client.requests.all.length}` }),
    'submit for another scheduler': () => this.#submit({ request_type: EXTERNAL }),
    'submit with a ladder': () => this.#ladder(),
    'say go': () => this.#go(),
    'move a document': () => this.#moveDocument(),
    'report a stage': () => this.#report(),
    'report it again': async () => this.#last?.(),
    'seal a run': async () => {
      const run = this.#run()
      if (run !== null) await this.#seal(run.run_id, run.tenant_id)
    },
    'end a run': () => this.#endRun(),
  }

  #submit(more: Partial<Envelope>): Promise<void> {
    return this.#client.submit(this.#client.requests.make({ ...this.#group(), ...more }))
  }

  /** Mostly in a run: few of them, so that they have several jobs. */
  #group(): Partial<Envelope> {
    const { dice } = this.#scene
    if (dice.chance(0.3)) return {}
    const run = dice.between(1, 3)
    const workstream = dice.chance(0.5) ? { workstream_id: `ws-${run}-${dice.between(1, 2)}` } : null
    return { run_id: `run-${run}`, ...workstream }
  }

  async #ladder(): Promise<void> {
    const { dice } = this.#scene
    const protocols = PROTOCOLS.filter(({ steps }) => steps.length === 1)
    const rungs = Array.from({ length: dice.between(1, 2) }, (): Rung => {
      const protocol = dice.oneOf(protocols)
      return { protocol, payload: { host: 'a' }, priority: 1 }
    })
    const type = dice.oneOf(['FETCH', 'OCR'])
    const request = this.#client.requests.make({ ...this.#group(), request_type: type })
    const sending = this.#client.send(request)
    const told = await this.#client.ask(
      `ladder ${request.envelope.input_ref}`,
      (ledger) => ledger.batch((make) => [{ ...make.submit(request.envelope), rungs }]),
      ['IN_FLIGHT_LIMIT', 'RUN_CLOSED'],
    )
    this.#client.heard(sending, 'answer' in told ? { answer: told.answer[0] } : told)
  }

  async #go(): Promise<void> {
    const job = this.#open(GATED)
    if (job === null) return
    const { job_id, tenant_id } = job
    const go = this.#scene.dice.chance(0.8)
    await this.#client.ask(
      `go ${go} ${short(job_id)}`,
      (ledger) => ledger.jobs.annotate(job_id, { go }, { tenant_id }),
      REFUSED,
    )
  }

  async #moveDocument(): Promise<void> {
    const { dice, laws } = this.#scene
    const job = this.#open(DOCUMENTED)
    if (job?.doc_id == null) return
    const { doc_id, tenant_id } = job
    const from = laws.shadow.documents.get(nameOf(tenant_id, doc_id))?.state ?? documentMachine.initial
    const legal = [...nextStates(documentMachine, from)]
    const wanted = legal.filter((state) => TOWARDS.includes(state))
    const state = dice.oneOf(wanted.length > 0 ? wanted : legal)
    await this.#client.ask(
      `document ${doc_id} ${state}`,
      ({ documents }) => documents.updateState(doc_id, state, { tenant_id }),
      REFUSED,
    )
  }

  async #report(): Promise<void> {
    const { dice } = this.#scene
    const job = this.#open(EXTERNAL)
    if (job === null) return
    const { job_id, tenant_id } = job
    const report = this.#somethingToSay(dice.oneOf(['chunk', 'embed', 'index']))
    const name = `${report.what} ${'stage' in report ? report.stage : ''} of ${short(job_id)}`
    this.#last = async () => {
      await this.#client.ask(name, ({ jobs }) => jobs.reportStage(job_id, report, { tenant_id }), REFUSED)
    }
    await this.#last()
  }

  #somethingToSay(stage: string): StageReport {
    const error = { code: 'NO_MEMORY', message: 'no more memory' }
    const facts = { attempts: null, output_count: null, duration_ms: null, output: [stage] }
    const { dice } = this.#scene
    const what = dice.weighed({
      prepared: 2,
      attempted: 1,
      started: 4,
      retried: 1,
      succeeded: 6,
      failed: 1,
      completed: 2,
    } as const)
    switch (what) {
      case 'prepared':
        return { what, pipeline_name: 'pdf', metadata: { pages: 3 } }
      case 'attempted':
        return { what }
      case 'started':
        return { what, stage }
      case 'retried':
        return { what, stage, error: null }
      case 'succeeded':
        return { what, stage, ...facts }
      case 'failed':
        return { what, stage: dice.chance(0.5) ? stage : null, error }
      case 'completed':
        return { what, metadata: {} }
    }
  }

  async #seal(run_id: string, tenant_id: string): Promise<void> {
    await this.#client.ask(`seal ${run_id}`, ({ runs }) => runs.seal(run_id, { tenant_id }), REFUSED)
  }

  async #endRun(): Promise<void> {
    const run = this.#run()
    if (run?.state !== 'running') return
    const { run_id, tenant_id } = run
    const state = this.#scene.dice.oneOf(['failed', 'cancelled'] as const)
    const name = `end ${run_id} as ${state}`
    await this.#client.ask(name, ({ runs }) => runs.update(run_id, state, { tenant_id }), REFUSED)
  }

  #run() {
    const { dice, laws } = this.#scene
    const tenant_id = dice.oneOf(TENANTS)
    const runs = [...laws.shadow.runs.values()].filter((run) => run.tenant_id === tenant_id)
    return runs.length === 0 ? null : dice.oneOf(runs)
  }

  /** An open job of a kind. */
  #open(request_type: string): JobRecord | null {
    const { dice, laws } = this.#scene
    const jobs = laws.shadow.openJobs().flatMap(({ job }) => (job.request_type === request_type ? [job] : []))
    return jobs.length === 0 ? null : dice.oneOf(jobs)
  }
}
