import type { JobRecord } from '../core/job/record.ts'
import { toolOfService } from '../core/job/tool-service.ts'
import { type ToolStatus, toolStatusOf } from '../core/job/tool-status.ts'
import type { JobState } from '../core/machines/job.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { endedToolJobs, isCommit, repoRootOf, textOf, touchedFilesOf } from './ended-tool-jobs.ts'

/** A file, and the job that touched it last. */
export interface TouchedFile {
  readonly file: string
  readonly repo_root: string | null
  readonly tenant_id: string
  readonly job_id: string
  readonly tool: string
  readonly state: JobState
  /** How it went, in the words of those who run tools. */
  readonly status: ToolStatus
  readonly run_id: string | null
  readonly workstream_id: string | null
  readonly changed_at: string
  readonly commit_before: string | null
  readonly commit_after: string | null
}

export interface TouchedFiles {
  readonly items: readonly TouchedFile[]
  readonly is_more: boolean
}

/** Files that one look remembers. */
const MOST_FILES = 20_000

/** Each file that tool jobs have touched, with the job that changed it last, the newest first; `*` for all tenants. */
export async function touchedFiles(
  ledger: Ledger,
  tenant_id: string,
  most: number = MOST_FILES,
): Promise<TouchedFiles> {
  let isMore = false
  const onMore = () => {
    isMore = true
  }
  const changed = new Map<string, TouchedFile>()
  /** Of files that were committed by somebody else than whoever changed them, as far as is known yet. */
  const committed = new Map<string, TouchedFile>()
  for await (const job of endedToolJobs(ledger, { tenant_id, onMore })) {
    const known = isCommit(job) ? committed : changed
    for (const file of touchedFilesOf(job)) {
      const key = JSON.stringify([job.tenant_id, repoRootOf(job), file])
      if (changed.has(key) || known.has(key)) continue
      if (changed.size + committed.size >= most) isMore = true
      else known.set(key, touchedBy(job, file, committed.get(key)))
    }
  }
  for (const key of changed.keys()) committed.delete(key)
  const items = [...changed.values(), ...committed.values()].sort(newestFirst)
  return { items, is_more: isMore }
}

/** Those whose name has a text in it, in capitals or not; at most so many. */
export function filesLike(
  { items, is_more }: TouchedFiles,
  { q = '', limit }: { readonly q?: string | undefined; readonly limit: number },
): TouchedFiles {
  const wanted = q.toLowerCase()
  const found = items.filter(({ file }) => file.toLowerCase().includes(wanted))
  return { items: found.slice(0, limit), is_more: is_more || found.length > limit }
}

function touchedBy(job: JobRecord, file: string, committed: TouchedFile | undefined): TouchedFile {
  const { tenant_id, job_id, request_type, state, run_id, workstream_id, metadata } = job
  return {
    file,
    repo_root: repoRootOf(job),
    tenant_id,
    job_id,
    tool: toolOfService(request_type) ?? request_type,
    state,
    status: toolStatusOf({ job, steps: [], outbox: [] }),
    run_id,
    workstream_id,
    changed_at: job.completed_at ?? job.updated_at,
    commit_before: textOf(metadata.commit_before),
    commit_after: committed?.commit_after ?? textOf(metadata.commit_after),
  }
}

function newestFirst(a: TouchedFile, b: TouchedFile): number {
  if (a.changed_at !== b.changed_at) return a.changed_at < b.changed_at ? 1 : -1
  return a.file < b.file ? -1 : 1
}
