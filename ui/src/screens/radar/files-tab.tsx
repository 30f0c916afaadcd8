// Which job last touched which file.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { TouchedFile } from '../../../../src/orchestrator/touched-files.ts'
import { filesQuery } from '../../api/files.ts'
import { usePage } from '../../app/context.ts'
import { useUrlState } from '../../app/url-state.ts'
import { type Column, RecordTable } from '../../lists/record-table.tsx'
import type { Pages } from '../../lists/use-pages.ts'
import { Filters, TextFilter } from '../../parts/filters.tsx'
import { IdLink } from '../../parts/id-link.tsx'
import { Notice } from '../../parts/notice.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { When } from '../../parts/when.tsx'
import { FileChangePanel } from './file-change.tsx'
import styles from './radar.module.css'

/** Left out beside the inspector, which tells them. */
const BESIDE: readonly string[] = ['Run', 'Workstream', 'Commit']

const NO_FILE = { file: null, file_tenant: null, repo: null }

export function FilesTab() {
  const { tenant } = usePage()
  const [{ q, file, file_tenant, repo }, setUrl] = useUrlState()
  const files = useQuery({ ...filesQuery(tenant, q), placeholderData: keepPreviousData })
  const open = (one: TouchedFile) =>
    setUrl({ file: one.file, file_tenant: one.tenant_id, repo: one.repo_root })
  const nothing =
    q === undefined ? (
      <Notice kind="empty" title="No job has touched a file yet">
        Jobs that run tools, such as an editor or git, note which files they changed; they are listed here.
      </Notice>
    ) : (
      <Notice
        kind="no-match"
        title={`No file that jobs touched has “${q}” in its name`}
        action={{ label: 'Show all files', run: () => setUrl({ q: null }) }}
      />
    )
  return (
    <div className={styles.tab}>
      <div className={styles.bar}>
        <Filters>
          <TextFilter name="q" label="File" placeholder="part of its path" />
        </Filters>
        {files.data?.is_more === true ? (
          <p className={styles.more} role="note">
            There are more files; narrow them down by name.
          </p>
        ) : null}
      </div>
      <div className={styles.split} data-open={file !== undefined}>
        <div className={styles.list}>
          <RecordTable
            label="Files that jobs touched"
            pages={pagesOf(files)}
            columns={
              file === undefined
                ? columnsOf(open)
                : columnsOf(open).filter(({ title }) => !BESIDE.includes(title))
            }
            keyOf={keyOf}
            onOpen={open}
            nothing={nothing}
          />
        </div>
        {file === undefined ? null : (
          <FileChangePanel
            file={file}
            tenant={file_tenant ?? tenant}
            repo_root={repo}
            onClose={() => setUrl(NO_FILE)}
          />
        )}
      </div>
    </div>
  )
}

function keyOf({ tenant_id, repo_root, file }: TouchedFile): string {
  return JSON.stringify([tenant_id, repo_root, file])
}

/** All of them at once are a list of one page. */
function pagesOf(query: ReturnType<typeof useQuery<{ readonly items: readonly TouchedFile[] }>>) {
  const { data, error, refetch } = query
  const pages: Pages<TouchedFile> = {
    items: data?.items ?? [],
    isPending: data === undefined && error === null,
    error,
    hasMore: false,
    isLoadingMore: false,
    hasNews: false,
    loadMore: () => undefined,
    retry: () => void refetch(),
    setAtTop: () => undefined,
  }
  return pages
}

function columnsOf(open: (file: TouchedFile) => void): readonly Column<TouchedFile>[] {
  return [
    {
      title: 'File',
      width: 'minmax(10rem, 2fr)',
      cell: (one) => (
        <button
          type="button"
          className={styles.file}
          aria-label={`Who changed ${one.file}`}
          title={whereIs(one)}
          onClick={() => open(one)}
        >
          {one.file}
        </button>
      ),
    },
    { title: 'Tool', width: '5rem', cell: ({ tool }) => tool, isExtra: true },
    { title: 'State', width: '8.5rem', cell: ({ state }) => <StatePill kind="job" state={state} /> },
    {
      title: 'Job',
      width: 'minmax(9rem, 1.4fr)',
      cell: ({ tenant_id, job_id }) => <RecordLink kind="job" tenant={tenant_id} id={job_id} isPlain />,
      isExtra: true,
    },
    {
      title: 'Run',
      width: 'minmax(6rem, 1fr)',
      cell: ({ run_id, ...one }) => <OfGroup kind="run" tenant={one.tenant_id} id={run_id} />,
      isExtra: true,
    },
    {
      title: 'Workstream',
      width: 'minmax(7rem, 1fr)',
      cell: ({ workstream_id, ...one }) => (
        <OfGroup kind="workstream" tenant={one.tenant_id} id={workstream_id} />
      ),
      isExtra: true,
    },
    {
      title: 'Commit',
      width: '5.5rem',
      cell: ({ commit_after }) =>
        commit_after === null ? '–' : <code title={commit_after}>{commit_after.slice(0, 8)}</code>,
      isExtra: true,
    },
    { title: 'When', width: '6.5rem', cell: ({ changed_at }) => <When at={changed_at} /> },
  ]
}

function whereIs({ file, repo_root }: TouchedFile): string {
  return repo_root === null ? file : `${file} in ${repo_root}`
}

interface OfGroupProps {
  readonly kind: 'run' | 'workstream'
  readonly tenant: string
  readonly id: string | null
}

function OfGroup({ kind, tenant, id }: OfGroupProps) {
  return id === null ? '–' : <IdLink kind={kind} tenant={tenant} id={id} />
}
