import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { countsQuery } from '../../api/counts.ts'
import { documentsPage, stuckPage } from '../../api/documents.ts'
import { usePage } from '../../app/context.ts'
import { useUrlState } from '../../app/url-state.ts'
import { RecordTable } from '../../lists/record-table.tsx'
import { usePages } from '../../lists/use-pages.ts'
import { Notice } from '../../parts/notice.tsx'
import { pathOf } from '../../parts/record-link.tsx'
import { Screen } from '../../parts/screen.tsx'
import { columnsOf } from './columns.tsx'
import { DocumentFilters } from './document-filters.tsx'
import styles from './documents.module.css'
import { DocumentsMachine } from './documents-machine.tsx'
import { type ListedDocument, listed, listedStuck } from './listed.ts'

const NO_FILTER = { q: null, state: null, adapter: null, stuck: null, hours: null }

export function DocumentsScreen() {
  const { tenant } = usePage()
  const [url, setUrl] = useUrlState()
  const navigate = useNavigate()
  const isStuck = url.stuck === '1'
  const counts = useQuery(countsQuery(tenant, 'document'))
  const pages = useDocuments(isStuck)
  const hasFilter = Object.keys(NO_FILTER).some((name) => url[name] !== undefined)
  const clear = { label: 'Clear the filters', run: () => setUrl(NO_FILTER) }
  const nothing = hasFilter ? (
    <Notice
      kind="no-match"
      title={isStuck ? 'No document is stuck' : 'There is no document that matches'}
      action={clear}
    >
      {isStuck ? 'Everything moves on as fast as it usually does.' : 'Try less, or another tenant.'}
    </Notice>
  ) : (
    <Notice kind="empty" title="There is no document yet">
      Documents come with the jobs that work on them, or with <code>waybill docs set</code>.
    </Notice>
  )
  return (
    <Screen title="Documents" isTall>
      <DocumentsMachine counts={counts.data} />
      <DocumentFilters counts={counts.data} />
      <div className={styles.list}>
        <RecordTable
          label="Documents"
          pages={pages}
          columns={columnsOf(isStuck)}
          keyOf={keyOf}
          onOpen={({ tenant_id, doc_id }) =>
            void navigate({ to: pathOf('document', tenant_id, doc_id) } as never)
          }
          nothing={nothing}
        />
      </div>
    </Screen>
  )
}

function keyOf({ tenant_id, doc_id }: ListedDocument): string {
  return `${tenant_id} ${doc_id}`
}

function useDocuments(isStuck: boolean) {
  const { tenant } = usePage()
  const [{ q, state, adapter, hours }] = useUrlState()
  const filter = useMemo(() => ({ tenant_id: tenant, q, state, adapter }), [tenant, q, state, adapter])
  const fetchPage = useCallback(
    async (after: string | undefined, signal: AbortSignal) => {
      if (isStuck) {
        const { items, next } = await stuckPage({ ...filter, hours }, signal)
        return { items: items.map(listedStuck), next }
      }
      const { items, next } = await documentsPage(filter, after, signal)
      return { items: items.map(listed), next }
    },
    [filter, isStuck, hours],
  )
  const key = useMemo(() => ['documents', isStuck, hours, filter], [isStuck, hours, filter])
  return usePages<ListedDocument>({ key, topics: ['document'], fetchPage, keyOf })
}
