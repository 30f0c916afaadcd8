import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { countsQuery } from '../../api/counts.ts'
import { type RunRecord, runsPage } from '../../api/runs.ts'
import { usePage } from '../../app/context.ts'
import { useUrlState } from '../../app/url-state.ts'
import { short } from '../../format/numbers.ts'
import { RecordTable } from '../../lists/record-table.tsx'
import { usePages } from '../../lists/use-pages.ts'
import { ChipFilter, Filters, TextFilter } from '../../parts/filters.tsx'
import { Notice } from '../../parts/notice.tsx'
import { pathOf } from '../../parts/record-link.tsx'
import { Screen } from '../../parts/screen.tsx'
import { RUN_COLUMNS } from './columns.tsx'
import { LastRuns } from './last-runs.tsx'
import styles from './runs.module.css'

const NO_FILTER = { q: null, state: null }

export function RunsScreen() {
  const { tenant, machines } = usePage()
  const [url, setUrl] = useUrlState()
  const navigate = useNavigate()
  const { data: counts } = useQuery(countsQuery(tenant, 'run'))
  const pages = useRuns()
  const chips = Object.entries(machines.run.states).map(([state, { tone, about }]) => ({
    value: state,
    tone,
    about,
    title: counts === undefined ? state : `${state} ${short(counts[state] ?? 0)}`,
  }))
  const hasFilter = url.q !== undefined || url.state !== undefined
  const clear = { label: 'Clear the filters', run: () => setUrl(NO_FILTER) }
  const nothing = hasFilter ? (
    <Notice kind="no-match" title="There is no run that matches" action={clear} />
  ) : (
    <Notice kind="empty" title="There is no run yet">
      A run comes with the first job that names it as its <code>run_id</code>.
    </Notice>
  )
  return (
    <Screen title="Runs" actions={<LastRuns />} isTall>
      <Filters>
        <TextFilter name="q" label="Search" placeholder="A part of its id" />
        <ChipFilter name="state" label="State" chips={chips} />
      </Filters>
      <div className={styles.list}>
        <RecordTable
          label="Runs"
          pages={pages}
          columns={RUN_COLUMNS}
          keyOf={keyOf}
          onOpen={({ tenant_id, run_id }) => void navigate({ to: pathOf('run', tenant_id, run_id) } as never)}
          nothing={nothing}
        />
      </div>
    </Screen>
  )
}

function keyOf({ tenant_id, run_id }: RunRecord): string {
  return `${tenant_id} ${run_id}`
}

function useRuns() {
  const { tenant } = usePage()
  const [{ q, state }] = useUrlState()
  const filter = useMemo(() => ({ tenant_id: tenant, q, state }), [tenant, q, state])
  const key = useMemo(() => ['runs', filter], [filter])
  const fetchPage = useCallback(
    (after: string | undefined, signal: AbortSignal) => runsPage(filter, after, signal),
    [filter],
  )
  return usePages<RunRecord>({ key, topics: ['run'], fetchPage, keyOf })
}
