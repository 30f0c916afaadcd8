import { useCallback, useMemo } from 'react'
import { auditPage } from '../../api/audit.ts'
import type { HistoryRecord } from '../../api/live.ts'
import { Timeline } from '../../lists/timeline.tsx'
import { usePages } from '../../lists/use-pages.ts'
import { useWorkstreamNews } from './use-workstream-news.ts'
import styles from './workstream.module.css'

/** Small, because the server has to look for them. */
const PAGE = 50

/** Everything that happened to a workstream and to its jobs. */
export function WorkstreamHistory({ tenant, id }: { readonly tenant: string; readonly id: string }) {
  const key = useMemo(() => ['audit', 'of-workstream', tenant, id], [tenant, id])
  const fetchPage = useCallback(
    (after: string | undefined, signal: AbortSignal) =>
      auditPage({ tenant_id: tenant, workstream_id: id, direction: 'desc', limit: PAGE, after }, signal),
    [tenant, id],
  )
  const pages = usePages<HistoryRecord>({
    key,
    topics: [],
    fetchPage,
    keyOf: ({ tenant_id, cursor }) => `${tenant_id} ${cursor}`,
  })
  useWorkstreamNews({ tenant, id }, key)
  return (
    <div className={styles.list}>
      <Timeline label="History of the workstream" pages={pages} of={{ kind: 'workstream', id }} />
    </div>
  )
}
