import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { type DocumentRecord, documentHistoryPage, documentQuery } from '../../api/documents.ts'
import type { HistoryRecord } from '../../api/live.ts'
import { usePage } from '../../app/context.ts'
import { useUrlState } from '../../app/url-state.ts'
import { msOf } from '../../format/time.ts'
import { JobsOf } from '../../lists/jobs-of.tsx'
import { Timeline } from '../../lists/timeline.tsx'
import { type Pages, usePages } from '../../lists/use-pages.ts'
import { Answer } from '../../parts/answer.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Screen } from '../../parts/screen.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { MachineDiagram } from '../../shapes/machine-diagram.tsx'
import { wayTaken } from '../../shapes/way-taken.ts'
import { AsOf } from './as-of.tsx'
import styles from './document.module.css'
import { DocumentFacts } from './document-facts.tsx'
import { Moves } from './moves.tsx'

export function DocumentScreen() {
  const { tenant = '', id = '' } = useParams({ strict: false }) as { tenant?: string; id?: string }
  const query = useQuery(documentQuery(tenant, id))
  const before = (
    <>
      <Link to="/documents">Documents</Link> / {tenant}
    </>
  )
  const heading = (
    <>
      {id} <CopyId id={id} />{' '}
      {query.data === undefined ? null : <StatePill kind="document" state={query.data.state} />}
    </>
  )
  return (
    <Screen title={id} before={before} heading={heading}>
      <Answer query={query}>{(document) => <Shown document={document} />}</Answer>
    </Screen>
  )
}

function Shown({ document: record }: { readonly document: DocumentRecord }) {
  const { tenant_id, doc_id } = record
  const history = useHistory(tenant_id, doc_id)
  const [, setUrl] = useUrlState()
  const show = (at: string) => {
    setUrl({ at })
    document.getElementById('states')?.scrollIntoView({ block: 'nearest' })
  }
  const thenOf = (entry: HistoryRecord) =>
    entry.event === 'moved' ? () => show(new Date(msOf(entry.timestamp)).toISOString()) : null
  return (
    <>
      <div className={styles.pair} id="states">
        <Panel title="Now">
          <DocumentFacts document={record} />
          <Moves document={record} />
        </Panel>
        <AsOf document={record} />
      </div>
      <Panel title="Its way">
        <Way document={record} history={history} />
      </Panel>
      <Panel title="Jobs" isFlush>
        <JobsOf tenant={tenant_id} of={{ doc_id }} label="Jobs of the document" />
      </Panel>
      <Panel title="History" isFlush>
        <Timeline label="History" pages={history} of={{ kind: 'document', id: doc_id }} onThen={thenOf} />
      </Panel>
    </>
  )
}

interface WayProps {
  readonly document: DocumentRecord
  readonly history: Pages<HistoryRecord>
}

function Way({ document, history }: WayProps) {
  const { machines } = usePage()
  const taken = useMemo(() => wayTaken(history.items), [history.items])
  return (
    <MachineDiagram
      machine={machines.document}
      label="The way that the document took"
      chosen={[document.state]}
      taken={taken}
    />
  )
}

function useHistory(tenant: string, id: string): Pages<HistoryRecord> {
  const key = useMemo(() => ['document history', tenant, id], [tenant, id])
  const fetchPage = useCallback(
    (after: string | undefined, signal: AbortSignal) => documentHistoryPage(tenant, id, after, signal),
    [tenant, id],
  )
  return usePages<HistoryRecord>({ key, topics: ['document'], fetchPage, keyOf: ({ cursor }) => cursor })
}
