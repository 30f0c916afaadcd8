import { isLike } from '../alike-rows.ts'
import type { ChangedJob, NewJob } from '../tables.ts'
import { type Heads, line, linesOf } from './part-marks.ts'

// Jobs, each by itself. What many are alike in is written as JSON once.

export function bornText(jobs: readonly NewJob[]): string {
  let last: NewJob | null = null
  let common = ''
  return linesOf(jobs, (job) => {
    if (last === null || !isLike(last, job)) common = JSON.stringify(bornHead(job))
    last = job
    return line(JSON.stringify(job.job_id), common, job.fixed, job.moving ?? 'null')
  })
}

export type BornHead = ReturnType<typeof bornHead>

export function bornHead(job: NewJob) {
  return [
    job.tenant_id,
    job.version,
    job.state,
    job.changed_at,
    job.is_ended,
    job.open_rows,
    job.request_type,
    job.protocol_id,
    job.doc_id,
    job.run_id,
    job.workstream_id,
    job.holds,
    job.isTold,
  ] as const
}

export function bornJob(
  [id = '', head = '', fixed = '', moving = '']: readonly string[],
  heads: Heads,
): NewJob {
  return jobOf(JSON.parse(id), heads.read<BornHead>(head), fixed, moving === 'null' ? null : moving)
}

export function jobOf(job_id: string, head: BornHead, fixed: string, moving: string | null): NewJob {
  const [tenant_id, version, state, changed_at, is_ended, open_rows, request_type, protocol_id, ...more] =
    head
  const [doc_id, run_id, workstream_id, holds, isTold] = more
  return {
    tenant_id,
    job_id,
    version,
    holds,
    fixed,
    moving,
    state,
    changed_at,
    is_ended,
    open_rows,
    request_type,
    protocol_id,
    doc_id,
    run_id,
    workstream_id,
    isTold,
  }
}

export function changedText(jobs: readonly ChangedJob[]): string {
  let last: ChangedJob | null = null
  let common = ''
  return linesOf(jobs, (job) => {
    if (last === null || !isChangedLike(last, job)) common = JSON.stringify(changedHead(job))
    last = job
    return line(JSON.stringify(job.job_id), common, job.moving)
  })
}

function isChangedLike(a: ChangedJob, b: ChangedJob): boolean {
  return (
    a.changed_at === b.changed_at &&
    a.state === b.state &&
    a.version === b.version &&
    a.from === b.from &&
    a.holds === b.holds &&
    a.tenant_id === b.tenant_id &&
    a.is_ended === b.is_ended &&
    a.open_rows === b.open_rows &&
    a.isTold === b.isTold
  )
}

export type ChangedHead = ReturnType<typeof changedHead>

export function changedHead(job: Omit<ChangedJob, 'job_id' | 'moving'>) {
  const { tenant_id, version, from, state, changed_at, is_ended, open_rows, holds, isTold } = job
  return [tenant_id, version, from, state, changed_at, is_ended, open_rows, holds, isTold] as const
}

export function changedJob([id = '', head = '', moving = '']: readonly string[], heads: Heads): ChangedJob {
  return movedJob(JSON.parse(id), heads.read<ChangedHead>(head), moving)
}

export function movedJob(job_id: string, head: ChangedHead, moving: string): ChangedJob {
  const [tenant_id, version, from, state, changed_at, is_ended, open_rows, holds, isTold] = head
  return { tenant_id, job_id, version, from, holds, moving, state, changed_at, is_ended, open_rows, isTold }
}
