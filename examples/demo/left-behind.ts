import type { LedgerState } from 'waybill'
import type { Scene } from './scene.ts'

/** Brought in by a program that crashed: each got so far, early in the day, and nobody ever came back to it. */
const LEFT_BEHIND: readonly { tenant_id: string; doc_id: string; went: readonly LedgerState[] }[] = [
  { tenant_id: 'aurora', doc_id: 'aurora:fax-0001', went: ['fetching', 'fetched', 'parsing'] },
  { tenant_id: 'borealis', doc_id: 'borealis:fax-0002', went: ['fetching', 'fetched', 'parsing'] },
]

/** Documents that are going to be stuck: in their state for longer than 99 of 100 others are. */
export async function leaveBehind({ ledger }: Scene): Promise<void> {
  await ledger.batch((make) =>
    LEFT_BEHIND.flatMap(({ tenant_id, doc_id, went }) =>
      went.map((state) =>
        make.updateState(doc_id, state, { tenant_id, actor: 'fax-machine', adapter: 'fax' }),
      ),
    ),
  )
}
