// A backlog of small tasks for coding tools: each is edited, tested and committed. Run it with:
//
//   npx node --conditions=waybill-source examples/coding-backlog/main.ts
//
// aider and codex are stand-ins, in bin/; git and the tests are real. README.md beside it says what to look at.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { JobStateStore, type JobView, Orchestrator, openLedger, type ToolJob } from 'waybill'
import { git, makeRepository } from './scratch-repository.ts'

const RUN = 'backlog-1'
const TASKS = [
  { name: 'slug', title: 'Slugs have no accents' },
  { name: 'total', title: 'Totals are exact to the cent' },
  { name: 'dates', title: 'Dates in plain English' },
] as const

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'waybill-backlog-')))
const repo = join(folder, 'repo')
// The stand-ins go before anything of the same name.
const path = [join(import.meta.dirname, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter)

try {
  makeRepository(repo)
  // Whoever wants to look at the ledger afterwards says where it is to be.
  await using ledger = await openLedger(process.env.LEDGER ?? join(folder, 'ledger'))
  const store = new JobStateStore(ledger)
  await using orchestrator = new Orchestrator({ store, env: { ...process.env, PATH: path } })

  for (const task of TASKS) await queueTask(orchestrator, task)
  await ledger.runs.seal(RUN)

  // One at a time: all of them work in the same folder. Who wants more gives each task a worktree of its own.
  await using _worker = ledger.work(await orchestrator.handlers(), { concurrency: 1, name: 'worker' })
  await ledger.idle()

  await showJobs(store)
  await showWorkstreams(store)
  showCommits()
  for (const file of ['src/total.js', 'src/dates.js']) await showLastChange(store, file)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

type Task = (typeof TASKS)[number]

/** Three jobs, each after the one before. */
async function queueTask(orchestrator: Orchestrator, { name, title }: Task): Promise<void> {
  const edit = jobOf(name, 'edit', 'aider', ['aider'], {
    message_file: `tasks/${name}.md`,
    files_scope: [`src/${name}.js`],
    // aider once more, then codex, then a person.
    retry_policy: 'escalate_to_codex',
    max_retries: 1,
    backoff: 'immediate',
  })
  const tests = jobOf(name, 'tests', 'tests', [process.execPath, '--test', `test/${name}.test.js`])
  const commit = jobOf(name, 'commit', 'git', ['git', 'commit', title, `src/${name}.js`])
  await orchestrator.queueJob(edit)
  await orchestrator.queueJob(tests, { after: [edit.job_id] })
  await orchestrator.queueJob(commit, { after: [tests.job_id] })
}

function jobOf(
  workstream_id: string,
  what: string,
  tool: string,
  [exe = '', ...args]: readonly string[],
  metadata: NonNullable<ToolJob['metadata']> = {},
): ToolJob {
  const job_id = `${workstream_id}-${what}`
  const files = { log_file: `.waybill/${job_id}.log`, error_report: `.waybill/${job_id}.error.json` }
  return {
    job_id,
    run_id: RUN,
    workstream_id,
    tool,
    command: { exe, args },
    env: {},
    paths: { repo_root: repo, working_dir: '.', ...files },
    metadata,
  }
}

async function showJobs(store: JobStateStore): Promise<void> {
  const jobs = (await store.listJobs(RUN)).toSorted((a, b) => order(a) - order(b))
  for (const { name, title } of TASKS) {
    console.log(`\n${title.toUpperCase()}`)
    for (const { job_id } of jobs.filter(({ workstream_id }) => workstream_id === name)) {
      const job = await store.getJob(job_id)
      if (job === null) continue
      const exits = job.attempts.map(({ exit_code }) => exit_code).join(', ')
      const tried = exits === '' ? '' : `exit codes ${exits}`
      console.log(`  ${job_id.padEnd(14)} ${job.tool.padEnd(6)} ${job.status.padEnd(10)} ${tried}`.trimEnd())
      if (job.escalated_to !== null) console.log(`    ${job.error?.message}; ${job.escalated_to} took over`)
    }
  }
}

/** In the order in which they were asked for: edits and those who took over, tests, commits. */
function order({ tool }: JobView): number {
  return ['aider', 'codex', 'human', 'tests', 'git'].indexOf(tool)
}

async function showWorkstreams(store: JobStateStore): Promise<void> {
  console.log(`\nRUN ${RUN}: ${(await store.getRun(RUN))?.status}`)
  for (const { workstream_id, status } of await store.listWorkstreams(RUN)) {
    console.log(`  ${workstream_id.padEnd(14)} ${status}`)
  }
}

/** Each ends with the job that made it, so that one can be found from the other. */
function showCommits(): void {
  console.log('\nCOMMITS')
  const commits = git(repo, 'log', '--reverse', '--format=%s%n%(trailers:key=Waybill-Job)')
  for (const line of commits.split('\n')) if (line !== '') console.log(`  ${line}`)
}

/** Which job last changed this file, and did its tests pass? */
async function showLastChange(store: JobStateStore, file: string): Promise<void> {
  const change = await store.lastChange(file, { repo_root: repo })
  console.log(`\nWHO LAST CHANGED ${file}?`)
  if (change === null) return console.log('  no job did')
  const { job, committed_by, tests } = change
  console.log(`  ${job.job_id}, by ${job.tool}; committed by ${committed_by?.job_id}`)
  console.log(`  tests ${tests?.passed === true ? 'passed' : 'did not pass'}:`, JSON.stringify(tests?.totals))
}
