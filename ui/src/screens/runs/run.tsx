import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { HistoryRecord } from '../../api/live.ts'
import { type RunRecord, runHistoryPage, runQuery } from '../../api/runs.ts'
import { usePage } from '../../app/context.ts'
import { JobsOf } from '../../lists/jobs-of.tsx'
import { Timeline } from '../../lists/timeline.tsx'
import { usePages } from '../../lists/use-pages.ts'
import { Answer } from '../../parts/answer.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { Facts } from '../../parts/facts.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Screen } from '../../parts/screen.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { Since, When } from '../../parts/when.tsx'
import { JobCounts, Took } from './columns.tsx'
import { RunActions } from './run-actions.tsx'
import styles from './runs.module.css'
import { WorkstreamsOf } from './workstreams-of.tsx'

export function RunScreen() {
  const { tenant = '', id = '' } = useParams({ strict: false }) as { tenant?: string; id?: string }
  const query = useQuery(runQuery(tenant, id))
  const before = (
    <>
      <Link to="/runs">Runs</Link> / {tenant}
    </>
  )
  const heading = (
    <>
      {id} <CopyId id={id} />{' '}
      {query.data === undefined ? null : <StatePill kind="run" state={query.data.state} />}
    </>
  )
  return (
    <Screen
      title={id}
      before={before}
      heading={heading}
      actions={query.data === undefined ? undefined : <RunActions run={query.data} />}
    >
      <Answer query={query}>{(run) => <Shown run={run} />}</Answer>
    </Screen>
  )
}

function Shown({ run }: { readonly run: RunRecord }) {
  const { machines } = usePage()
  const { tenant_id, run_id, state, state_since, sealed, created_at, completed_at, metadata } = run
  const hasMetadata = Object.keys(metadata).length > 0
  return (
    <>
      <Panel title="Now">
        <p className={styles.meaning}>{machines.run.states[state]?.about}.</p>
        <Facts
          facts={[
            ['In this state for', <Since key="for" at={state_since} />],
            ['Began', <When key="began" at={created_at} />],
            ['Ended', completed_at === null ? 'not yet' : <When key="ended" at={completed_at} />],
            ['Took', <Took key="took" run={run} />],
            ['Sealed', sealed ? 'yes: no more jobs are to come' : 'no: it takes more jobs'],
            ['Jobs', <JobCounts key="jobs" run={run} />],
          ]}
        />
        {hasMetadata ? <JsonView value={metadata} label="Metadata" /> : null}
      </Panel>
      <Panel title="Workstreams" isFlush>
        <WorkstreamsOf tenant={tenant_id} run={run_id} />
      </Panel>
      <Panel title="Jobs" isFlush>
        <JobsOf tenant={tenant_id} of={{ run_id }} label="Jobs of the run" />
      </Panel>
      <Panel title="History" isFlush>
        <RunHistory run={run} />
      </Panel>
    </>
  )
}

const GOING_ON = ['run', 'workstream', 'job', 'step'] as const
const OVER = ['run'] as const

function RunHistory({ run }: { readonly run: RunRecord }) {
  const { tenant_id: tenant, run_id: id, completed_at } = run
  const key = useMemo(() => ['run history', tenant, id], [tenant, id])
  const fetchPage = useCallback(
    (after: string | undefined, signal: AbortSignal) => runHistoryPage(tenant, id, after, signal),
    [tenant, id],
  )
  const topics = completed_at === null ? GOING_ON : OVER
  const pages = usePages<HistoryRecord>({
    key,
    topics,
    restMs: 1000,
    fetchPage,
    keyOf: ({ cursor }) => cursor,
  })
  return <Timeline label="History" pages={pages} of={{ kind: 'run', id }} />
}
