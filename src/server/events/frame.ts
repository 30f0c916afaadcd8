// What goes over the wire, as the standard for server-sent events has it. Entries of the history have no event name, so
// that `onmessage` of a browser sees them all; only what is no entry has one.
import type { AuditRecord } from '../../core/audit.ts'
import { leveled } from '../../core/audit-level.ts'
import type { Cursor } from '../../store/query.ts'

/** Somewhere in the log, where it has one order for everything. */
export interface Place {
  readonly cursor: Cursor
  readonly seq: number
}

/** Without whatever else is known of it: a place is kept for longer than that. */
export function placeOf({ cursor, seq }: Place): Place {
  return { cursor, seq }
}

/** An entry of the history as all clients get it. */
export interface Frame extends Place {
  readonly record: AuditRecord
  readonly bytes: Buffer
}

/** How long a browser waits before it comes back. */
const RETRY_MS = 1000

export function frameOf(record: AuditRecord): Frame {
  const { cursor, seq } = record
  const data = JSON.stringify(leveled(record))
  return { cursor, seq, record, bytes: Buffer.from(`id: ${cursor}\ndata: ${data}\n\n`) }
}

/**
 * The first of every stream. It has the place already: whoever is cut off before anything happened comes back to where
 * they began.
 */
export function helloOf(cursor: Cursor | null): Buffer {
  return Buffer.from(`retry: ${RETRY_MS}\n${idOf(cursor)}\n`)
}

/**
 * A comment, for whatever stands between and ends connections that are silent. The id without data makes no event, but a
 * browser comes back to it: whoever waits for something rare need not read everything again.
 */
export function heartbeatOf(cursor: Cursor | null): Buffer {
  return Buffer.from(`:\n${idOf(cursor)}\n`)
}

/** Entries after a place are gone, past their time. No id: whoever comes back before the next entry is told again. */
export function gapOf(gap: Gap): Buffer {
  return Buffer.from(`event: gap\ndata: ${JSON.stringify(gap)}\n\n`)
}

export interface Gap {
  /** Where the client was. */
  readonly after: Cursor
  /** The oldest entry that there still is; null when there is none. */
  readonly oldest: Cursor | null
  /** Its time, in epoch seconds. */
  readonly oldest_timestamp: number | null
}

function idOf(cursor: Cursor | null): string {
  return cursor === null ? '' : `id: ${cursor}\n`
}
