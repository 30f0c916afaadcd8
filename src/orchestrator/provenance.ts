// Which job last changed this file, and did its tests pass? Every attempt notes the commits before and after it and the files
// that it touched; looking for a file is looking through jobs, the newest first.
import { posix } from 'node:path'
import type { JobRecord } from '../core/job/record.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { endedToolJobs, isCommit, repoRootOf, textOf, touchedFilesOf } from './ended-tool-jobs.ts'
import type { JobStateStore } from './job-state-store.ts'
import { jobView } from './job-view.ts'
import type { JobView } from './state-interface.ts'

export interface FileChange {
  readonly file: string
  /** The job that changed it. */
  readonly job: JobView
  readonly commit_before: string | null
  readonly commit_after: string | null
  /** The job that committed what that one had changed; null when it is not committed, or it committed it itself. */
  readonly committed_by: JobView | null
  /** The first test job that looked at it afterwards; null when none did yet. */
  readonly tests: TestsAfter | null
}

export interface TestsAfter {
  readonly job: JobView
  readonly passed: boolean
  readonly totals: JsonObject | null
}

export interface WhichFile {
  readonly repo_root?: string | undefined
  /** Whose jobs; the ledger's own tenant unless given. */
  readonly tenant_id?: string | undefined
}

export async function lastChangeOf(
  store: JobStateStore,
  file: string,
  { repo_root, tenant_id }: WhichFile = {},
): Promise<FileChange | null> {
  const path = posix.normalize(file)
  if (file === '' || path.startsWith('../') || posix.isAbsolute(path)) {
    throw new InvalidInput(
      'file',
      `${file} is not a path within a repository`,
      'Give it as git does: src/a.ts.',
    )
  }
  /** Test jobs that ended after the one being looked at, the newest first. */
  const later: JobRecord[] = []
  let committer: JobRecord | null = null
  for await (const job of endedToolJobs(store.ledger, { tenant_id })) {
    if (repo_root !== undefined && repoRootOf(job) !== repo_root) continue
    if (testsOf(job) !== null) later.push(job)
    if (!touchedFilesOf(job).includes(path)) continue
    if (!isCommit(job)) return changeOf(store, path, { changed: job, committer, later })
    committer ??= job
  }
  return committer === null ? null : changeOf(store, path, { changed: committer, committer: null, later })
}

interface Found {
  readonly changed: JobRecord
  readonly committer: JobRecord | null
  /** Test jobs that ended since, the newest first. */
  readonly later: readonly JobRecord[]
}

async function changeOf(
  store: JobStateStore,
  file: string,
  { changed, committer, later }: Found,
): Promise<FileChange> {
  const committed = committer ?? changed
  const tests = later.toReversed().find((job) => sawIt(job, changed, committed))
  return {
    file,
    job: await viewOf(store, changed),
    commit_before: textOf(changed.metadata.commit_before),
    commit_after: textOf(committed.metadata.commit_after),
    committed_by: committer === null ? null : await viewOf(store, committer),
    tests: tests === undefined ? null : await testsAfter(store, tests),
  }
}

/** Whether a test job looked at what the other one left: it waited for it, or ran in the same workstream or on its commit. */
function sawIt(tests: JobRecord, changed: JobRecord, committed: JobRecord): boolean {
  if (tests.job_id === changed.job_id || tests.depends_on.includes(changed.job_id)) return true
  if (repoRootOf(tests) !== repoRootOf(changed)) return false
  const { commit_after } = committed.metadata
  const isOnCommit = commit_after !== undefined && tests.metadata.commit_before === commit_after
  return isOnCommit || (changed.workstream_id !== null && tests.workstream_id === changed.workstream_id)
}

async function testsAfter(store: JobStateStore, job: JobRecord): Promise<TestsAfter> {
  const totals = testsOf(job)
  const failed = totals?.failed
  return {
    job: await viewOf(store, job),
    passed: job.state === 'SUCCEEDED' && (typeof failed !== 'number' || failed === 0),
    totals,
  }
}

async function viewOf(store: JobStateStore, job: JobRecord): Promise<JobView> {
  const aggregate = await store.ledger.jobs.show(job.job_id, job.tenant_id)
  return jobView(aggregate ?? { job, steps: [], outbox: [] })
}

function testsOf({ metadata }: JobRecord): JsonObject | null {
  return isJsonObject(metadata.tests) ? metadata.tests : null
}
