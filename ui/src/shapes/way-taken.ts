import type { HistoryRecord } from '../api/live.ts'

/** The edges that a record went along, as `from>to`. */
export function wayTaken(history: readonly Pick<HistoryRecord, 'event' | 'old_state' | 'new_state'>[]) {
  const taken = new Set<string>()
  for (const { event, old_state, new_state } of history) {
    if (event === 'moved' && old_state !== null && old_state !== new_state)
      taken.add(`${old_state}>${new_state}`)
  }
  return taken
}
