import type { Ref } from '../../../../src/core/job/record.ts'
import type { JobDetail, JobName } from '../../api/jobs.ts'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { When } from '../../parts/when.tsx'
import { GanttPanel } from './gantt-panel.tsx'
import styles from './job.module.css'
import { RelatedPanel } from './related-panel.tsx'
import { StepsPanel } from './steps-panel.tsx'
import { WhyPanel } from './why-panel.tsx'

export function Overview({ name, job }: { readonly name: JobName; readonly job: JobDetail }) {
  return (
    <div className={styles.overview}>
      {job.error_code === null ? null : (
        <p className={styles.error}>
          <code>{job.error_code}</code>
          {job.error_message}
        </p>
      )}
      <WhyPanel name={name} />
      <Panel title="Facts">
        <Facts facts={factsOf(job)} />
      </Panel>
      <div className={styles.wide}>
        <GanttPanel name={name} job={job} />
      </div>
      <StepsPanel job={job} />
      <RelatedPanel name={name} />
    </div>
  )
}

function factsOf(job: JobDetail): readonly (Fact | null)[] {
  const { tenant_id: tenant } = job
  return [
    ['Protocol', job.protocol_id],
    unless(job.pipeline_name, 'Pipeline', job.pipeline_name),
    job.doc_id === null
      ? null
      : ['Document', <RecordLink key="d" kind="document" tenant={tenant} id={job.doc_id} isSameTenant />],
    job.run_id === null
      ? null
      : ['Run', <RecordLink key="r" kind="run" tenant={tenant} id={job.run_id} isSameTenant />],
    job.workstream_id === null
      ? null
      : [
          'Workstream',
          <RecordLink key="w" kind="workstream" tenant={tenant} id={job.workstream_id} isSameTenant />,
        ],
    ['Made', <When key="c" at={job.created_at} />],
    ['Changed', <When key="u" at={job.updated_at} />],
    unless(job.completed_at, 'Ended', <When key="e" at={job.completed_at} />),
    unless(job.run_at, 'Not before', <When key="n" at={job.run_at} />),
    unless(job.expires_at, 'Expires', <When key="x" at={job.expires_at} />),
    ['Attempts', String(job.attempts_total)],
    ['Goes by', `${job.resolved_mode}: ${job.decision_reason}`],
    ['Input', refText(job.input_ref)],
    ['Output', refText(job.output_ref)],
    unless(job.schedule_id, 'Schedule', job.schedule_id),
    unless(job.correlation_id, 'Correlation', job.correlation_id),
    job.escalation === null ? null : ['Escalation level', String(job.escalation.level)],
    job.unlimited ? ['Limits', 'passes all of them'] : null,
    job.tags.length === 0 ? null : ['Tags', <Tags key="t" tags={job.tags} />],
  ]
}

function unless(value: string | null, name: string, shown: React.ReactNode): Fact | null {
  return value === null ? null : [name, shown]
}

function refText(ref: Ref | null): string {
  if (ref === null) return '–'
  return typeof ref === 'string' ? ref : ref.uri
}

function Tags({ tags }: { readonly tags: readonly string[] }) {
  return (
    <ul className={styles.tags}>
      {tags.map((tag) => (
        <li key={tag}>{tag}</li>
      ))}
    </ul>
  )
}
