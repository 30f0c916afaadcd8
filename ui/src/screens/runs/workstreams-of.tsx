import { useQuery } from '@tanstack/react-query'
import { type WorkstreamRecord, workstreamsOfRunQuery } from '../../api/runs.ts'
import { PlainTable } from '../../lists/plain-table.tsx'
import { Answer } from '../../parts/answer.tsx'
import { Notice } from '../../parts/notice.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { Since, When } from '../../parts/when.tsx'

const COLUMNS = [
  {
    title: 'Workstream',
    cell: ({ tenant_id, workstream_id }: WorkstreamRecord) => (
      <RecordLink kind="workstream" tenant={tenant_id} id={workstream_id} />
    ),
  },
  { title: 'State', cell: ({ state }: WorkstreamRecord) => <StatePill kind="workstream" state={state} /> },
  { title: 'For', cell: ({ state_since }: WorkstreamRecord) => <Since at={state_since} /> },
  {
    title: 'Began',
    isExtra: true,
    cell: ({ created_at }: WorkstreamRecord) => <When at={created_at} />,
  },
  {
    title: 'Ended',
    isExtra: true,
    cell: ({ completed_at }: WorkstreamRecord) => <When at={completed_at} />,
  },
]

export function WorkstreamsOf({ tenant, run }: { readonly tenant: string; readonly run: string }) {
  const query = useQuery(workstreamsOfRunQuery(tenant, run))
  const nothing = (
    <Notice kind="empty" title="It has no workstreams">
      A workstream comes with the first job that names one.
    </Notice>
  )
  return (
    <Answer query={query} instead={({ items }) => (items.length === 0 ? nothing : null)}>
      {({ items }) => (
        <PlainTable
          label="Workstreams of the run"
          items={items}
          columns={COLUMNS}
          keyOf={({ workstream_id }) => workstream_id}
        />
      )}
    </Answer>
  )
}
