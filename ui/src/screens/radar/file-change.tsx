import { useQuery } from '@tanstack/react-query'
import type { FileChange, TestsAfter } from '../../../../src/orchestrator/provenance.ts'
import type { JobView } from '../../../../src/orchestrator/state-interface.ts'
import { lastChangeQuery, type WhichFile } from '../../api/files.ts'
import { Answer } from '../../parts/answer.tsx'
import { Button } from '../../parts/button.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { When } from '../../parts/when.tsx'
import styles from './inspector.module.css'

interface FileChangePanelProps extends WhichFile {
  onClose(): void
}

/** Who changed a file last, who committed that, and whether tests passed since. */
export function FileChangePanel({ onClose, ...which }: FileChangePanelProps) {
  const change = useQuery(lastChangeQuery(which))
  return (
    <aside className={styles.inspector} aria-label="Inspector">
      <Panel
        title={which.file}
        actions={
          <Button look="quiet" label="Close the inspector" onClick={onClose}>
            ✕
          </Button>
        }
      >
        <Answer query={change}>{(data) => <Told change={data} tenant={which.tenant} />}</Answer>
        {which.repo_root === undefined ? null : <p className={styles.place}>in {which.repo_root}</p>}
      </Panel>
    </aside>
  )
}

function Told({ change, tenant }: { readonly change: FileChange; readonly tenant: string }) {
  const { job, committed_by, commit_before, commit_after, tests } = change
  const isCommitted = commit_after !== null && commit_after !== commit_before
  return (
    <div className={styles.parts}>
      <section className={styles.part}>
        <h3>Changed by</h3>
        <JobLine job={job} tenant={tenant} />
      </section>
      <section className={styles.part}>
        <h3>Committed by</h3>
        {isCommitted ? (
          <JobLine job={committed_by ?? job} tenant={tenant} />
        ) : (
          <p className={styles.quiet}>Nobody has committed it yet.</p>
        )}
        <Commit name="Before" commit={commit_before} />
        {isCommitted ? <Commit name="After" commit={commit_after} /> : null}
      </section>
      <section className={styles.part}>
        <h3>Did the tests pass?</h3>
        <Tests tests={tests} tenant={tenant} />
      </section>
    </div>
  )
}

function JobLine({ job, tenant }: { readonly job: JobView; readonly tenant: string }) {
  return (
    <>
      <p className={styles.line}>
        <RecordLink kind="job" tenant={tenant} id={job.job_id} />
      </p>
      <p className={styles.quiet}>
        {job.tool}, {job.status} <When at={job.completed_at ?? job.updated_at} />
      </p>
      {job.error === null ? null : (
        <p className={styles.error} data-tone="bad">
          <strong>{job.error.code}</strong> {job.error.message}
        </p>
      )}
    </>
  )
}

function Commit({ name, commit }: { readonly name: string; readonly commit: string | null }) {
  if (commit === null) return null
  return (
    <p className={styles.line}>
      <span className={styles.quiet}>{name}</span> <code title={commit}>{commit.slice(0, 12)}</code>
      <CopyId id={commit} what="commit" />
    </p>
  )
}

function Tests({ tests, tenant }: { readonly tests: TestsAfter | null; readonly tenant: string }) {
  if (tests === null) return <p className={styles.quiet}>No tests have looked at it since.</p>
  const { passed, totals, job } = tests
  return (
    <>
      <p className={styles.verdict} data-tone={passed ? 'good' : 'bad'}>
        {passed ? '✓ They passed' : '✕ They did not pass'}
        {totals === null ? null : <span> {totalsOf(totals)}</span>}
      </p>
      <JobLine job={job} tenant={tenant} />
    </>
  )
}

/** `12 passed, 1 failed`: whatever was counted. */
function totalsOf(totals: { readonly [name: string]: unknown }): string {
  return ['passed', 'failed', 'skipped']
    .flatMap((name) => {
      const n = totals[name]
      return typeof n === 'number' && (n > 0 || name === 'passed') ? [`${n} ${name}`] : []
    })
    .join(', ')
}
