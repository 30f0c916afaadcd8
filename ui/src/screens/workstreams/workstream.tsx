// One workstream: how it stands, its jobs, and everything that happened to it.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { WorkstreamRecord } from '../../../../src/core/group/workstream-record.ts'
import { workstreamQuery } from '../../api/workstreams.ts'
import { usePage } from '../../app/context.ts'
import { JobsOf } from '../../lists/jobs-of.tsx'
import { Answer } from '../../parts/answer.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { Facts } from '../../parts/facts.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { Screen } from '../../parts/screen.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Since, When } from '../../parts/when.tsx'
import { MoveButtons } from './move-buttons.tsx'
import styles from './workstream.module.css'
import { WorkstreamHistory } from './workstream-history.tsx'

export function WorkstreamScreen() {
  const { tenant = '', id = '' } = useParams({ strict: false }) as { tenant?: string; id?: string }
  const workstream = useQuery(workstreamQuery(tenant, id))
  return (
    <Screen
      title={id}
      before={<Link to="/workstreams">Workstreams</Link>}
      heading={
        <>
          <span className={styles.id}>{id}</span>
          <CopyId id={id} />
          {workstream.data === undefined ? null : (
            <StatePill kind="workstream" state={workstream.data.state} />
          )}
        </>
      }
      actions={workstream.data === undefined ? undefined : <MoveButtons workstream={workstream.data} />}
    >
      <Answer query={workstream}>{(data) => <About workstream={data} />}</Answer>
    </Screen>
  )
}

function About({ workstream }: { readonly workstream: WorkstreamRecord }) {
  const { tenant_id, workstream_id, metadata } = workstream
  return (
    <>
      <Panel title="How it stands">
        <Standing workstream={workstream} />
      </Panel>
      <Tabs
        label="About the workstream"
        tabs={[
          {
            id: 'jobs',
            title: 'Jobs',
            content: () => (
              <div className={styles.list}>
                <JobsOf tenant={tenant_id} of={{ workstream_id }} label="Jobs of the workstream" />
              </div>
            ),
          },
          {
            id: 'history',
            title: 'History',
            content: () => <WorkstreamHistory tenant={tenant_id} id={workstream_id} />,
          },
          {
            id: 'metadata',
            title: 'Metadata',
            content: () => (
              <div className={styles.metadata}>
                <JsonView value={metadata} label="metadata" />
              </div>
            ),
          },
        ]}
      />
    </>
  )
}

function Standing({ workstream }: { readonly workstream: WorkstreamRecord }) {
  const { tenant_id, run_id, state, state_since, sealed, created_at, updated_at, completed_at } = workstream
  const isOver = usePage().machines.workstream.states[state]?.terminal === true
  return (
    <Facts
      facts={[
        ['State', <StatePill key="state" kind="workstream" state={state} />],
        ['For', <Since key="since" at={state_since} />],
        [
          'Run',
          run_id === null ? 'none' : <RecordLink key="run" kind="run" tenant={tenant_id} id={run_id} />,
        ],
        ['Tenant', tenant_id],
        ['Sealed', sealed ? 'Yes: no more jobs are to come' : isOver ? 'No' : 'No: more jobs may come'],
        ['Made', <When key="made" at={created_at} />],
        ['Changed', <When key="changed" at={updated_at} />],
        completed_at === null ? null : ['Ended', <When key="ended" at={completed_at} />],
      ]}
    />
  )
}
