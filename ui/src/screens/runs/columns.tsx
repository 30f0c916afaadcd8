import { useQuery } from '@tanstack/react-query'
import { type RunRecord, runJobCountsQuery } from '../../api/runs.ts'
import { usePage } from '../../app/context.ts'
import { counted } from '../../format/numbers.ts'
import { msOf, span } from '../../format/time.ts'
import type { Column } from '../../lists/record-table.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { Since, When } from '../../parts/when.tsx'
import { Shares } from './shares.tsx'

export const RUN_COLUMNS: readonly Column<RunRecord>[] = [
  {
    title: 'Run',
    width: 'minmax(11rem, 2fr)',
    cell: ({ tenant_id, run_id }) => <RecordLink kind="run" tenant={tenant_id} id={run_id} />,
  },
  { title: 'State', width: '8rem', cell: ({ state }) => <StatePill kind="run" state={state} /> },
  { title: 'Jobs', width: 'minmax(9rem, 1.5fr)', isExtra: true, cell: (run) => <JobCounts run={run} /> },
  { title: 'Began', width: '7rem', isExtra: true, cell: ({ created_at }) => <When at={created_at} /> },
  { title: 'Ended', width: '7rem', isExtra: true, cell: ({ completed_at }) => <When at={completed_at} /> },
  { title: 'Took', width: '5.5rem', isExtra: true, cell: (run) => <Took run={run} /> },
  {
    title: 'Sealed',
    width: '5rem',
    isExtra: true,
    cell: ({ sealed }) =>
      sealed ? <span title="No more jobs are to come">yes</span> : <span title="It takes more jobs">no</span>,
  },
]

export function Took({ run: { created_at, completed_at } }: { readonly run: RunRecord }) {
  if (completed_at === null) return <Since at={created_at} />
  return <span>{span(msOf(completed_at) - msOf(created_at))}</span>
}

/** Only rows on the screen ask for theirs. */
export function JobCounts({ run }: { readonly run: RunRecord }) {
  const { machines } = usePage()
  const { data } = useQuery(runJobCountsQuery(run))
  if (data === undefined) return <span>…</span>
  return (
    <Shares machine={machines.job} counts={data.counts} what="jobs">
      {counted(data)}
    </Shares>
  )
}
