import type { FollowedLedger } from './follow-log.ts'
import type { Gap, Place } from './frame.ts'

/**
 * Whether entries after a place are gone, past their time. History goes from its oldest end, so it is enough to look at
 * the oldest entry that is left.
 */
export async function gapAfter(
  ledger: Pick<FollowedLedger, 'audit' | 'stats'>,
  { cursor, seq }: Place,
): Promise<Gap | null> {
  const [oldest] = (await ledger.audit.query({ limit: 1 })).items
  if (oldest !== undefined && oldest.seq <= seq + 1) return null
  // A place without an entry is no gap.
  if ((await ledger.stats()).removed_audit_records === 0) return null
  return { after: cursor, oldest: oldest?.cursor ?? null, oldest_timestamp: oldest?.timestamp ?? null }
}
