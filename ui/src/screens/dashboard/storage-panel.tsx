import { useQuery } from '@tanstack/react-query'
import type { LedgerStats } from '../../../../src/ledger/ledger.ts'
import { statsQuery } from '../../api/stats.ts'
import { usePage } from '../../app/context.ts'
import { bytes, count } from '../../format/numbers.ts'
import { span } from '../../format/time.ts'
import { Answer } from '../../parts/answer.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { When } from '../../parts/when.tsx'

/** How the ledger itself is. Only those who are for all tenants are told. */
export function StoragePanel() {
  const { tenant } = usePage()
  const query = useQuery(statsQuery(tenant))
  return (
    <Panel title="Storage" isFlush>
      <Answer query={query}>
        {({ ledger }) => (ledger === undefined ? null : <Health stats={ledger} />)}
      </Answer>
    </Panel>
  )
}

function Health({ stats }: { readonly stats: LedgerStats }) {
  const damage = stats.storage?.damage ?? null
  return (
    <>
      {damage === null ? null : (
        <Notice kind="problem" title="The ledger is damaged and can only be read">
          {damage}
        </Notice>
      )}
      <Facts isNarrow facts={factsOf(stats)} />
    </>
  )
}

function factsOf(stats: LedgerStats): readonly (Fact | null)[] {
  const { engine, records, audit_records, removed_audit_records, open_ms, storage } = stats
  const all = Object.values(records).reduce((sum, n) => sum + n, 0)
  return [
    ['Engine', engine],
    storage === undefined ? null : ['Journal since the snapshot', bytes(storage.delta_bytes)],
    storage === undefined
      ? null
      : [
          'Last snapshot',
          storage.snapshot === null ? 'none yet' : <When key="at" at={storage.snapshot.created_at} />,
        ],
    storage === undefined ? null : ['Sealed segments', count(storage.segments)],
    ['Opened in', span(open_ms)],
    ['Records', count(all)],
    ['History', count(audit_records)],
    ['Removed from history', count(removed_audit_records)],
  ]
}
