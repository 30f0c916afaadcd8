import { type AuditEntry, hopsOf } from '../../../core/audit.ts'
import type { Change } from '../../../core/decision.ts'
import type { DocumentRecord } from '../../../core/document/record.ts'
import type { Move } from '../../live/move.ts'
import type { BatchBuffer } from '../batch-buffer.ts'
import { encodeDocuments } from './encode-documents.ts'
import { encodeGroups } from './encode-groups.ts'
import { encodeJob } from './encode-job.ts'
import { encodeJobs } from './encode-jobs.ts'
import { documentFields, lineOf } from './fields.ts'

/** What is to be written of a commit. Puts have their etag already: the first seq of the commit. */
export interface Encodable {
  readonly change: Change
  /** The entries of the change that are kept. */
  readonly audit: readonly AuditEntry[]
  readonly first: number
  /** The puts by aggregate, with what was there before. */
  readonly moves: readonly Move[]
  readonly nths?: Nths | undefined
}

/** Which of its record's kept refusals an entry is; undefined when it moved. */
export type Nths = ReadonlyMap<AuditEntry, number>

/** Writes the lines of a commit. Answers how many places in the log they take. */
export function encodeCommit(commit: Encodable, into: BatchBuffer): number {
  const entry = plainMove(commit)
  if (entry === null) {
    return (
      encodeJob(commit, into) ??
      encodeJobs(commit, into) ??
      encodeDocuments(commit, into) ??
      encodeGroups(commit, into)
    )
  }
  const move = commit.moves[0] as Move
  const rest = documentFields(move.to as DocumentRecord, entry, move.before === null)
  const line = lineOf(commit.first, entry, undefined)
  if (rest !== null) Object.assign(line, rest)
  into.add(JSON.stringify(line))
  return hopsOf(entry)
}

/** Nearly every commit is one document that moves, and then there is nothing to sort out. */
function plainMove({ change, audit }: Encodable): AuditEntry | null {
  const { puts, claims, slots, signals } = change
  if (puts.length !== 1 || audit.length !== 1) return null
  if (claims.length > 0 || slots.length > 0 || signals.length > 0) return null
  const entry = audit[0] as AuditEntry
  return puts[0]?.kind === 'document' && entry.event === 'moved' && entry.kind === 'document' ? entry : null
}
