import type { JobAggregate } from '../core/aggregate.ts'
import type { AuditRecord } from '../core/audit.ts'
import { type AttemptsTold, attemptsTold } from '../core/job/attempts-told.ts'
import { LARGEST_PAGE } from '../store/query.ts'
import type { Store } from '../store/store.ts'

/** Moves that are looked at, the newest first: those of a few thousand attempts. */
const MOST_MOVES = 20_000

/** Every attempt at every step of a job, told from its history. */
export async function attempts(store: Store, { job, steps }: JobAggregate): Promise<AttemptsTold> {
  const { tenant_id, job_id } = job
  const query = { tenant_id, job_id, kind: 'step', event: 'moved', direction: 'desc' } as const
  const moves: AuditRecord[] = []
  let after: string | undefined
  for (;;) {
    const page = await store.audit({ ...query, after, limit: LARGEST_PAGE })
    moves.push(...page.items)
    if (page.next === null) return attemptsTold(steps, moves.toReversed(), true)
    if (moves.length >= MOST_MOVES) return attemptsTold(steps, moves.toReversed(), false)
    after = page.next
  }
}
