import type { QueueJobOptions, ToolJob } from 'waybill'

/** A job of a run, and what it waits for. */
export interface Task {
  readonly job: ToolJob
  readonly options: QueueJobOptions
}

export interface RunPlace {
  readonly run_id: string
  readonly repo_root: string
  /** How long programs take, compared with the usual. */
  readonly pace: number
  /** Whether the documentation can be built this time. */
  readonly docsWork: boolean
}

/** Each is edited by a coding tool, tested and committed; nobody but a person can do the last. */
const EDITS = [
  { name: 'slug', title: 'Slugs have no accents', priority: 'high' },
  { name: 'total', title: 'Totals are exact to the cent', priority: 'normal' },
  { name: 'dates', title: 'Dates in plain English', priority: 'normal' },
] as const

const AGAIN = { retry_policy: 'retry_same', backoff: { kind: 'linear', base_seconds: 3 } } as const

/** Everything that a run is about: a workstream for each edit, one for style, documentation and release each. */
export function tasksOf(run: RunPlace): readonly Task[] {
  const edits = EDITS.flatMap((edit) => editTasks(run, edit))
  const lint = jobOf(run, 'style', 'lint', 'command', ['lint', 'src'], { ...AGAIN, max_retries: 2 })
  const docs = jobOf(run, 'docs', 'build', 'command', ['docs', run.docsWork ? 'all' : 'broken'])
  const release = jobOf(run, 'release', 'publish', 'command', ['release'])
  const commits = edits.filter(({ job }) => job.tool === 'git').map(({ job }) => job.job_id)
  return [
    { job: docs, options: { priority: 'high' } },
    { job: lint, options: { priority: 'high' } },
    ...edits,
    // Nothing is published that is not whole.
    { job: release, options: { after: commits, onDependencyFailure: 'skip' } },
  ]
}

/** One quick job: whether a release would be possible at all. */
export function smokeTest(run: RunPlace): Task {
  const job = jobOf(run, 'smoke', 'dry-run', 'command', ['release', '--dry-run'])
  return { job, options: { priority: 'critical' } }
}

function editTasks(run: RunPlace, { name, title, priority }: (typeof EDITS)[number]): readonly Task[] {
  const edit = jobOf(run, name, 'edit', 'aider', ['aider'], {
    message_file: `tasks/${name}.md`,
    files_scope: [`src/${name}.js`],
    // aider once more, then codex, then a person.
    retry_policy: 'escalate_to_codex',
    max_retries: 1,
    backoff: { kind: 'linear', base_seconds: 2 },
  })
  const tests = jobOf(run, name, 'tests', 'tests', [process.execPath, '--test', `test/${name}.test.js`])
  const commit = jobOf(run, name, 'commit', 'git', ['git', 'commit', title, `src/${name}.js`])
  return [
    { job: edit, options: { priority } },
    { job: tests, options: { priority, after: [edit.job_id] } },
    { job: commit, options: { priority, after: [tests.job_id] } },
  ]
}

function jobOf(
  { run_id, repo_root, pace }: RunPlace,
  stream: string,
  what: string,
  tool: string,
  [exe = '', ...args]: readonly string[],
  metadata: NonNullable<ToolJob['metadata']> = {},
): ToolJob {
  const workstream_id = `${run_id}-${stream}`
  const job_id = `${workstream_id}-${what}`
  const files = { log_file: `.waybill/${job_id}.log`, error_report: `.waybill/${job_id}.error.json` }
  return {
    job_id,
    run_id,
    workstream_id,
    tool,
    command: { exe, args },
    env: { PACE: String(pace) },
    paths: { repo_root, working_dir: '.', ...files },
    metadata,
  }
}
