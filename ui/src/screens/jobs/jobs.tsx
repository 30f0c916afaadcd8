// All jobs, the last changed first, narrowed down by what is in the URL.
import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { type JobFilters, type JobRow, listJobs } from '../../api/jobs.ts'
import { usePage } from '../../app/context.ts'
import { useUrlState } from '../../app/url-state.ts'
import { RecordTable } from '../../lists/record-table.tsx'
import { usePages } from '../../lists/use-pages.ts'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { pathOf } from '../../parts/record-link.tsx'
import { Screen } from '../../parts/screen.tsx'
import { JOB_COLUMNS } from './columns.tsx'
import { FILTER_NAMES, JobFilterFields } from './filter-fields.tsx'
import styles from './jobs.module.css'
import { ManyActions } from './many-actions.tsx'

const keyOf = ({ tenant_id, job_id }: JobRow) => `${tenant_id} ${job_id}`

export function JobsScreen() {
  const { tenant } = usePage()
  const [url, setUrl] = useUrlState()
  const navigate = useNavigate()
  const said = JSON.stringify(FILTER_NAMES.map((name) => url[name] ?? ''))
  const filters = useMemo(() => filtersIn(JSON.parse(said) as readonly string[]), [said])
  const fetchPage = useCallback(
    (after: string | undefined, signal: AbortSignal) => listJobs(tenant, filters, after, signal),
    [tenant, filters],
  )
  const key = useMemo(() => ['jobs', tenant, filters], [tenant, filters])
  const pages = usePages<JobRow>({ key, topics: ['job'], fetchPage, keyOf })
  const isNarrowed = Object.keys(filters).length > 0
  const clear = () => setUrl(Object.fromEntries(FILTER_NAMES.map((name) => [name, null])))
  const open = ({ tenant_id, job_id }: JobRow) =>
    void navigate({ to: pathOf('job', tenant_id, job_id) } as never)
  const actions = (
    <>
      {isNarrowed ? (
        <Button look="quiet" onClick={clear}>
          Clear filters
        </Button>
      ) : null}
      <ManyActions filters={filters} />
    </>
  )
  return (
    <Screen title="Jobs" isTall actions={actions}>
      <JobFilterFields />
      <div className={styles.list}>
        <RecordTable
          label="Jobs"
          pages={pages}
          columns={JOB_COLUMNS}
          keyOf={keyOf}
          onOpen={open}
          nothing={<NoJobs isNarrowed={isNarrowed} clear={clear} />}
        />
      </div>
    </Screen>
  )
}

/** Only those that say something. */
function filtersIn(values: readonly string[]): JobFilters {
  return Object.fromEntries(
    FILTER_NAMES.map((name, i) => [name, values[i]] as const).filter(([, value]) => value !== ''),
  )
}

function NoJobs({ isNarrowed, clear }: { readonly isNarrowed: boolean; readonly clear: () => void }) {
  if (isNarrowed) {
    return (
      <Notice
        kind="no-match"
        title="There is no job that matches"
        action={{ label: 'Clear the filters', run: clear }}
      >
        Others may be there: take a filter away.
      </Notice>
    )
  }
  return (
    <Notice kind="empty" title="There are no jobs yet">
      Submit one: <code>waybill submit --help</code> says how.
    </Notice>
  )
}
