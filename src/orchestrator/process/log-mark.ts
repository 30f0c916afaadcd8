// How a log is known as ours. Who submits a tool job says where its log is, and could name any file of the machine there; so
// whoever shows logs to others has to know that a file was written by an attempt at this very job. What the ledger has of
// the job cannot tell: callers bring payload and metadata, and a worker who claims by messages never wrote anything. So the
// file itself tells: what a program printed follows a line that only an attempt writes, with a mark that is different for
// every job of every tenant and ledger, and that no answer ever shows. A program cannot print such a line: it gets a space
// in front (`GuardedLines`). What stood in the file before, and what others append to it, is none of the job's.
import { createHash } from 'node:crypto'

/** What such a line begins with. */
export const LOG_MARK = '--- waybill log '

const MARK_CHARS = 32

export interface LogOwner {
  /** What tells this ledger from others. */
  readonly ledger: string
  readonly tenant_id: string
  readonly job_id: string
}

export function logMarkOf({ ledger, tenant_id, job_id }: LogOwner): string {
  const owner = JSON.stringify(['waybill log', ledger, tenant_id, job_id])
  return createHash('sha256').update(owner).digest('hex').slice(0, MARK_CHARS)
}

/** The longest that such a line is, with its end. */
export const LONGEST_MARK_LINE = LOG_MARK.length + MARK_CHARS + 1
