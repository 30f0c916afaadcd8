import { openStatesOf } from '../core/machine.ts'
import { jobMachine } from '../core/machines/job.ts'
import { fromIso } from '../core/time.ts'
import { findPages } from './find-all.ts'
import type { Store } from './store.ts'

const OPEN = openStatesOf(jobMachine)

/**
 * When the oldest job was submitted that is still open, in epoch milliseconds; infinity when there is none. Its history is
 * wanted until it has ended, however long history is kept.
 */
export async function oldestOpenJob(store: Store): Promise<number> {
  let oldest = Number.POSITIVE_INFINITY
  for await (const page of findPages(store, { kind: 'job', where: { state: OPEN } })) {
    for (const { created_at } of page) oldest = Math.min(oldest, fromIso(created_at))
  }
  return oldest
}
