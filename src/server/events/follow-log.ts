import type { AuditRecord } from '../../core/audit.ts'
import { BadCursor, LedgerClosed } from '../../errors/input-errors.ts'
import type { Ledger, LedgerStats } from '../../ledger/ledger.ts'
import type { Cursor } from '../../store/query.ts'
import type { World } from '../../world/world.ts'

/** What is needed of a ledger to follow it. */
export interface FollowedLedger extends Pick<Ledger, 'events' | 'capabilities'> {
  readonly audit: Pick<Ledger['audit'], 'query'>
  stats(): Promise<Pick<LedgerStats, 'removed_audit_records'>>
}

export interface FollowOptions {
  readonly ledger: FollowedLedger
  readonly world: Pick<World, 'timers' | 'logger'>
  /** Where to begin, also when it begins again; undefined for now. */
  readonly after: () => Cursor | undefined
  readonly tenant_id?: string | undefined
  readonly take: (record: AuditRecord) => Promise<void> | undefined
  readonly signal: AbortSignal
}

/** `lost`: the log is not the one that it was, and what was seen of it is not in it. */
export type FollowEnd = 'aborted' | 'closed' | 'lost'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 30_000

/** Follows the log. What fails is begun again from the last place, after a pause that grows. */
export async function followLog(options: FollowOptions): Promise<FollowEnd> {
  const { ledger, world, after, tenant_id, take, signal } = options
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      for await (const record of ledger.events({ after: after(), tenant_id, signal })) {
        failures = 0
        await take(record)
      }
      // It ends by itself when the ledger is closed, which the next one says.
      if (failures === 0) continue
    } catch (error) {
      if (signal.aborted) break
      if (error instanceof LedgerClosed) return 'closed'
      if (error instanceof BadCursor) return 'lost'
      world.logger.error({ error }, 'The history could not be followed, and is taken up again')
    }
    await pauseAfter(failures, world, signal)
  }
  return 'aborted'
}

/** Longer from failure to failure; ends early when there is nobody left to wait. */
export function pauseAfter(
  failures: number,
  { timers }: Pick<World, 'timers'>,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      timer.cancel()
      signal.removeEventListener('abort', go)
      resolve()
    }
    const timer = timers.after(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS), go)
    signal.addEventListener('abort', go)
    if (signal.aborted) go()
  })
}
