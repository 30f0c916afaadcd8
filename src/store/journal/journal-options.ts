import { InvalidInput } from '../../errors/input-errors.ts'
import { type SnapshotSchedule, scheduleOf } from './snapshot-schedule.ts'

/** How a ledger in a folder is kept. */
export interface JournalOptions {
  /** Opens it beside a writer, or when it is damaged; nothing is written. */
  readonly readOnly?: boolean | undefined
  /** How many snapshots are kept; 7 unless told. */
  readonly keepSnapshots?: number | undefined
  /** How long the history is kept, in milliseconds; for ever unless told. Never less than the oldest snapshot needs. */
  readonly keepHistoryMs?: number | undefined
  /** When a snapshot is made by itself: a cron expression in UTC, or null for never. Every day at midnight unless told. */
  readonly snapshotSchedule?: string | null | undefined
  /**
   * A snapshot is made by itself when so much has been written since the last, or a 64th of it at closing; 64 MiB unless told. While
   * much is being written it waits, for up to four times as much.
   */
  readonly snapshotAfterBytes?: number | undefined
  /** Where a server answers for this ledger, for those who find it locked. */
  readonly server?: string | undefined
}

export interface CheckedOptions {
  readonly readOnly: boolean
  readonly create: boolean
  readonly keepSnapshots: number
  readonly keepHistoryMs: number
  readonly schedule: SnapshotSchedule | null
  readonly snapshotAfterBytes: number
  readonly server: string | null
}

const DAY_MS = 24 * 60 * 60_000

/** Said without a calendar: to look up the time zone UTC takes longer than all else that opening a ledger does. */
const DAILY: SnapshotSchedule = (after) => (Math.floor(after / DAY_MS) + 1) * DAY_MS

const MEBIBYTE = 1024 * 1024

/** What is said for all engines alike. */
export interface CreateOption {
  /** False refuses a folder without a ledger instead of making one; so does `readOnly`, unless this is true. */
  readonly create?: boolean | undefined
}

export function checkOptions(options: JournalOptions & CreateOption): CheckedOptions {
  return {
    readOnly: options.readOnly ?? false,
    create: options.create ?? options.readOnly !== true,
    keepSnapshots: atLeast('keepSnapshots', options.keepSnapshots ?? 7, 1),
    keepHistoryMs: atLeast('keepHistoryMs', options.keepHistoryMs ?? Number.POSITIVE_INFINITY, 0),
    schedule: options.snapshotSchedule === undefined ? DAILY : scheduleOf(options.snapshotSchedule),
    snapshotAfterBytes: atLeast('snapshotAfterBytes', options.snapshotAfterBytes ?? 64 * MEBIBYTE, 1),
    server: options.server ?? null,
  }
}

function atLeast(field: string, value: number, least: number): number {
  if (value >= least) return value
  throw new InvalidInput(field, `${field} must be at least ${least}`, 'Leave it out for the default.')
}
