import { useQuery } from '@tanstack/react-query'
import type { JobBrief } from '../../../../src/core/job/brief.ts'
import type { Related } from '../../../../src/ledger/related.ts'
import { type JobName, relatedQuery } from '../../api/jobs.ts'
import { Answer } from '../../parts/answer.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import styles from './lists.module.css'

/** Jobs that have to do with this one, by what they have to do with it. */
export function RelatedPanel({ name }: { readonly name: JobName }) {
  const query = useQuery(relatedQuery(name))
  return (
    <Panel title="Related jobs" isFlush>
      <Answer query={query} instead={(related) => (groupsOf(related).length === 0 ? <None /> : null)}>
        {(related) => (
          <>
            {groupsOf(related).map(([title, jobs]) => (
              <section key={title} aria-label={title}>
                <h3 className={styles.group}>{title}</h3>
                <ul className={styles.rows}>
                  {jobs.map((job) => (
                    <BriefItem key={job.job_id} job={job} isItself={job.job_id === name.id} />
                  ))}
                </ul>
              </section>
            ))}
            {related.dependants_is_more ? (
              <p className={styles.note}>There may be more: only the newest jobs were looked at.</p>
            ) : null}
          </>
        )}
      </Answer>
    </Panel>
  )
}

function None() {
  return (
    <Notice kind="empty" title="No other job has to do with it">
      Jobs that it depends on, that depend on it, run it again, take over from it, or are about the same
      document.
    </Notice>
  )
}

function groupsOf(related: Related): readonly (readonly [string, readonly JobBrief[]])[] {
  const groups: (readonly [string, readonly JobBrief[]])[] = [
    ['Waits for', related.depends_on],
    ['Wait for it', related.dependants],
    ['Runs again', related.again_of === null ? [] : [related.again_of]],
    ['Run again as', related.again],
    ['Escalation, in order', related.chain],
    ['About the same document', related.same_document],
  ]
  return groups.filter(([, jobs]) => jobs.length > 0)
}

function BriefItem({ job, isItself }: { readonly job: JobBrief; readonly isItself: boolean }) {
  return (
    <li className={styles.row} aria-current={isItself ? 'true' : undefined}>
      <span className={styles.main}>
        {job.exists ? (
          <RecordLink kind="job" tenant={job.tenant_id} id={job.job_id} isSameTenant />
        ) : (
          <>
            {job.job_id} <CopyId id={job.job_id} />
          </>
        )}
        {isItself ? ' (this one)' : null}
      </span>
      {job.state === null ? (
        <span className={styles.muted}>gone: retention removed it</span>
      ) : (
        <StatePill kind="job" state={job.state} />
      )}
      <span className={styles.more}>
        {[job.request_type, job.current_step_id].filter((text) => text !== null).join(' · ')}
      </span>
    </li>
  )
}
