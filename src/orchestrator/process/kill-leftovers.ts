import type { Processes } from '../../world/processes.ts'
import type { World } from '../../world/world.ts'
import { JOB_ENV, LEDGER_ENV } from './child-env.ts'
import { killAll } from './end-processes.ts'
import { withDescendants } from './process-tree.ts'

export interface JobMark {
  readonly jobId: string
  /** What tells this ledger from others on the same machine, as it was given to `childEnv`. */
  readonly ledger: string
}

type Outside = Pick<World, 'clock' | 'timers'> & { readonly processes: Processes }

/**
 * Kills what earlier attempts at the same job have left running on this machine, whoever started them: two attempts must
 * not work in one place. Answers with those that would not go. Where processes cannot be seen it does nothing: there only
 * the guard of each worker sees to it.
 */
export async function killLeftovers(
  { jobId, ledger }: JobMark,
  outside: Outside,
): Promise<readonly number[]> {
  const { processes, timers } = outside
  const entries = [`${JOB_ENV}=${jobId}`, `${LEDGER_ENV}=${ledger}`]
  const hold = timers.hold()
  try {
    return await killAll(async () => {
      const rows = (await processes.table(0)) ?? []
      const marked = withDescendants(rows, (row) => entries.every((entry) => row.has(entry)))
      // A job may run a worker in turn, which must not end itself.
      return marked.filter(({ pid }) => pid !== processes.pid)
    }, outside)
  } finally {
    hold.cancel()
  }
}
