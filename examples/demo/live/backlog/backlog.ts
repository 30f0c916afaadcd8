// Coding tools at work on a scratch repository, as in the example coding-backlog: real programs, real tests, real commits. Only
// the models are missing.
import { mkdtempSync, realpathSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { JobStateStore, type Ledger, Orchestrator, type Worker } from 'waybill'
import { makeRepository } from '../../../coding-backlog/scratch-repository.ts'
import { openJobs } from '../open-jobs.ts'
import { type RunPlace, smokeTest, type Task, tasksOf } from './tasks.ts'

/** Runs that are open at once, and runs whose folders are kept for their logs. */
const MOST_OPEN = 3
const MOST_KEPT = 20

/** The first run hurries, so that there is something to see. */
const HURRIED = 0.05

/** What Ada writes: enough for the test. */
const ADAS_DATES = `const DAY_MS = 24 * 60 * 60 * 1000

export const dateOf = (text) =>
  text === 'a week on Tuesday' ? new Date(Date.now() + (9 - new Date().getDay()) * DAY_MS) : new Date(text)
`

/** Runs of tool jobs, one after the other, each in a repository of its own; all of it is removed in the end. */
export class Backlog implements AsyncDisposable {
  readonly #ledger: Ledger
  readonly #store: JobStateStore
  readonly #orchestrator: Orchestrator
  readonly #folder = realpathSync(mkdtempSync(join(tmpdir(), 'waybill-demo-')))
  #worker: Worker | null = null
  #runs = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    this.#store = new JobStateStore(ledger)
    // The stand-ins go before anything of the same name.
    const path = [join(import.meta.dirname, 'bin'), dirname(process.execPath), process.env.PATH]
    const env = { ...process.env, PATH: path.join(delimiter) }
    this.#orchestrator = new Orchestrator({ store: this.#store, env })
  }

  /** One program at a time: the machine is there for other things, too. */
  async begin(): Promise<void> {
    const options = { name: 'toolsmith', concurrency: 1, grace: '300ms' } as const
    this.#worker = this.#ledger.work(await this.#orchestrator.handlers(), options)
    await this.#queue('smoke-1', (place) => [smokeTest(place)], HURRIED)
    await this.newRun(HURRIED)
  }

  /** Another run, unless there are enough. */
  async newRun(pace = 1): Promise<void> {
    const { items } = await this.#ledger.runs.list({ state: ['pending', 'running'], limit: MOST_OPEN })
    if (items.length >= MOST_OPEN) return
    this.#runs++
    await this.#queue(runNamed(this.#runs), tasksOf, pace)
    const old = join(this.#folder, runNamed(this.#runs - MOST_KEPT))
    await rm(old, { recursive: true, force: true })
  }

  /** Ada does what no tool could, in every run but the newest: that one waits for whoever looks at the page. */
  async adaHelps(): Promise<void> {
    const waiting = await openJobs(this.#ledger, 'tool:human')
    const job = waiting.find(({ run_id }) => run_id !== runNamed(this.#runs))
    if (job === undefined || job.run_id === null) return
    await writeFile(join(this.#folder, job.run_id, 'src/dates.js'), ADAS_DATES)
    const metadata = { done_by: 'ada', touched_files: ['src/dates.js'] }
    await this.#store.updateJobResult(job, { status: 'completed', exit_code: null, duration_s: 1, metadata })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.stop()
    await this.#orchestrator[Symbol.asyncDispose]()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #queue(run_id: string, tasks: (place: RunPlace) => readonly Task[], pace: number): Promise<void> {
    const repo_root = join(this.#folder, run_id)
    makeRepository(repo_root)
    for (const { job, options } of tasks({ run_id, repo_root, pace, docsWork: this.#runs % 2 === 0 })) {
      await this.#orchestrator.queueJob(job, { ...options, actor: 'backlog' })
    }
    await this.#ledger.runs.seal(run_id)
  }
}

function runNamed(number: number): string {
  return `backlog-${number}`
}
