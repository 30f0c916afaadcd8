// A ledger with a bit of everything, for looking at it through the command line.
import { openLedger } from 'waybill'
import { virtualWorld } from 'waybill/testing'

const HOUR_MS = 3_600_000

/** Escape sequences and right-to-left marks, as somebody could hide in a message. */
export const NASTY = '\u001b[31mred\u001b[0m \u009b2J \u202ereversed\u0007\nsecond line'

/** Wide and joined characters. */
export const WIDE_ID = 'doc:日本語の論文-👩‍👩‍👧-é'

export const MANY = 1200

/**
 * Six hours of two tenants. What is asked for by age is asked from now on: the last change is an hour ago, and
 * `stuck:1` has been fetching for five.
 */
export async function makeFixture(folder: string, now: number): Promise<void> {
  const world = virtualWorld({ startMs: now - 6 * HOUR_MS })
  // Everything is simulated but the disk.
  const { disk: _, ...simulation } = world
  await using ledger = await openLedger(folder, {
    world: simulation,
    actor: 'ann',
    journal: { snapshotSchedule: null },
  })
  const { documents } = ledger
  await documents.updateState('done:1', 'fetching', {
    adapter: 'pubmed',
    metadata: { source: 'pubmed', pages: 3 },
  })
  await world.advanceBy(HOUR_MS)
  await documents.updateState('stuck:1', 'fetching', { adapter: 'arxiv' })
  await documents.updateState('done:1', 'fetched', { adapter: 'pubmed' })
  await documents.updateState('done:1', 'parsing', { adapter: 'grobid' })
  await world.advanceBy(HOUR_MS)
  const error = { error_type: 'TimeoutError', error_message: NASTY }
  await documents.updateState(WIDE_ID, 'fetching', { adapter: 'arxiv' })
  await documents.updateState(WIDE_ID, 'retrying', {
    adapter: 'arxiv',
    error,
    retry_count: 1,
    reason: 'again',
  })
  await documents.updateState('done:1', 'completed', { adapter: 'grobid' }).catch(() => {})
  await documents.updateState('done:1', 'completed', { adapter: 'grobid', validate: false, actor: 'bob' })
  await ledger.compact()
  await world.advanceBy(3 * HOUR_MS)
  const many = Array.from({ length: MANY }, (__, i) => ({
    doc_id: `many:${String(i).padStart(4, '0')}`,
    state: 'skipped' as const,
    adapter: 'loader',
  }))
  await documents.updateMany(many)
  await documents.updateState('hers:1', 'skipped', { tenant_id: 'aurora' })
}
