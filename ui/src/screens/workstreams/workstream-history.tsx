import { useCallback, useMemo } from 'react'
import { auditPage } from '../../api/audit.ts'
import type { HistoryRecord } from '../../api/live.ts'
import { Timeline } from '../../lists/timeline.tsx'
import { usePages } from '../../lists/use-pages.ts'
import styles from './workstream.module.css'

/** Everything that happened to a workstream and to its jobs. */
export function WorkstreamHistory({ tenant, id }: { readonly tenant: string; readonly id: string }) {
  const key = useMemo(() => ['audit', 'of-workstream', tenant, id], [tenant, id])
  const fetchPage = useCallback(
    (after: string | undefined, signal: AbortSignal) =>
      auditPage({ tenant_id: tenant, workstream_id: id, direction: 'desc', after }, signal),
    [tenant, id],
  )
  const pages = usePages<HistoryRecord>({
    key,
    topics: ['workstream', 'job', 'step', 'outbox'],
    fetchPage,
    keyOf: ({ tenant_id, cursor }) => `${tenant_id} ${cursor}`,
  })
  return (
    <div className={styles.list}>
      <Timeline label="History of the workstream" pages={pages} of={{ kind: 'workstream', id }} />
    </div>
  )
}
