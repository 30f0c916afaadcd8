// One job: what it is, why it is where it is, what happened to it, what it printed, and what can be done with it.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type JobDetail, type JobName, jobQuery } from '../../api/jobs.ts'
import { PRIORITIES } from '../../api/vocabulary.ts'
import { Answer } from '../../parts/answer.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { Screen } from '../../parts/screen.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Since } from '../../parts/when.tsx'
import { JobActions } from './actions/job-actions.tsx'
import { AuditTab } from './audit-tab.tsx'
import { EventsTab } from './events-tab.tsx'
import styles from './job.module.css'
import { LogTab } from './log/log-tab.tsx'
import { Overview } from './overview.tsx'
import { PayloadTab } from './payload-tab.tsx'
import { useJobNews } from './use-job-news.ts'

export function JobScreen() {
  const { tenant = '', id = '' } = useParams({ strict: false }) as { tenant?: string; id?: string }
  const name = { tenant, id }
  useJobNews(name)
  const query = useQuery(jobQuery(name))
  return (
    <Screen
      title={`Job ${id}`}
      before={<Link to={'/jobs' as string}>Jobs</Link>}
      heading={<Heading name={name} job={query.data} />}
      actions={query.data === undefined ? undefined : <JobActions key={`${tenant} ${id}`} name={name} />}
    >
      <Answer query={query}>{(job) => <Parts key={`${tenant} ${id}`} name={name} job={job} />}</Answer>
    </Screen>
  )
}

function Heading({ name, job }: { readonly name: JobName; readonly job: JobDetail | undefined }) {
  return (
    <>
      <span className={styles.id}>{name.id}</span>
      <CopyId id={name.id} what="job id" />
      {job === undefined ? null : <StatePill kind="job" state={job.state} />}
    </>
  )
}

function Parts({ name, job }: { readonly name: JobName; readonly job: JobDetail }) {
  return (
    <>
      <p className={styles.sub}>
        <span>{job.request_type}</span>
        <span>
          priority <strong>{PRIORITIES[job.priority]}</strong>
        </span>
        <span>
          {job.state} for <Since at={job.state_since} />
        </span>
        <span>tenant {job.tenant_id}</span>
      </p>
      <Tabs
        label="About this job"
        tabs={[
          { id: 'overview', title: 'Overview', content: () => <Overview name={name} job={job} /> },
          { id: 'events', title: 'Events', content: () => <EventsTab name={name} /> },
          { id: 'logs', title: 'Logs', content: () => <LogTab name={name} /> },
          { id: 'payload', title: 'Payload', content: () => <PayloadTab job={job} /> },
          { id: 'audit', title: 'Audit', content: () => <AuditTab name={name} /> },
        ]}
      />
    </>
  )
}
