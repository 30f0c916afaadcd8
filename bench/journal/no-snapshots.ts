import type { JournalOptions } from 'waybill'

/** Snapshots only when asked for: one that begins by itself would be measured in one round and not in the next. */
export const NO_SNAPSHOTS: JournalOptions = {
  snapshotSchedule: null,
  snapshotAfterBytes: Number.MAX_SAFE_INTEGER,
}
