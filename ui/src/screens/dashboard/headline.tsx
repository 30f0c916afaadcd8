// How things are, in a row of figures.
import { useQuery } from '@tanstack/react-query'
import type { Overview } from '../../../../src/ledger/overview.ts'
import { activityQuery } from '../../api/activity.ts'
import { overviewQuery } from '../../api/overview.ts'
import { statsQuery } from '../../api/stats.ts'
import { usePage } from '../../app/context.ts'
import { count, many, percent, short } from '../../format/numbers.ts'
import { pathOf } from '../../parts/record-link.tsx'
import { Since } from '../../parts/when.tsx'
import { incompleteUntil, totalOf } from './activity-series.ts'
import styles from './dashboard.module.css'
import { Figure, type FigureTold } from './figure.tsx'
import { namesOf, type StateShare, sharesOf, sumOf } from './state-shares.ts'

const HOUR = 60

export function Headline() {
  const { tenant, machines } = usePage()
  const stats = useQuery(statsQuery(tenant))
  const hour = useQuery(activityQuery(tenant, HOUR))
  const overview = useQuery(overviewQuery(tenant))
  const jobs = (counts: { readonly [state: string]: number }) => sharesOf(machines.job, counts)
  const course = hour.data
  const bad = namesOf(jobs({}).filter(({ tone }) => tone === 'bad'))
  const good = namesOf(jobs({}).filter(({ tone }) => tone === 'good'))
  return (
    <section className={styles.headline} aria-label="How things are">
      <Figure
        title="Open jobs"
        query={stats}
        course={course?.submitted}
        tell={({ counts: { job } }) =>
          openJobs(jobs(job), course === undefined ? null : totalOf(course.submitted))
        }
      />
      <Figure
        title="Running"
        query={stats}
        tell={({ counts: { job } }) => running(jobs(job), overview.data)}
      />
      <Figure
        title="Failed, last hour"
        query={hour}
        course={course?.failed}
        tell={(activity) => {
          const failed = totalOf(activity.failed)
          return {
            value: `${short(failed)}${incompleteUntil(activity) === null ? '' : '+'}`,
            note: `${count(totalOf(activity.retried))} retried, ${count(totalOf(activity.refused))} refused`,
            tone: failed > 0 ? 'bad' : 'good',
            to: '/jobs',
            search: { state: bad },
          }
        }}
      />
      <Figure
        title="Success rate, last hour"
        query={hour}
        course={course?.succeeded}
        tell={({ succeeded, failed }) => {
          const [well, badly] = [totalOf(succeeded), totalOf(failed)]
          const ended = well + badly
          return {
            value: percent(well, ended),
            note: ended === 0 ? 'No job ended' : `${count(well)} of ${many(ended, 'job')}`,
            tone: ended === 0 ? 'waiting' : badly === 0 ? 'good' : 'busy',
            to: '/jobs',
            search: { state: good },
          }
        }}
      />
      <Figure title="Oldest waiting" query={overview} tell={oldestWaiting} />
    </section>
  )
}

function openJobs(shares: readonly StateShare[], submitted: number | null): FigureTold {
  const open = shares.filter(({ isOpen }) => isOpen)
  return {
    value: short(sumOf(open)),
    note: submitted === null ? `of ${count(sumOf(shares))}` : `${count(submitted)} came in the last hour`,
    tone: 'busy',
    to: '/jobs',
    search: { state: namesOf(open) },
  }
}

function running(shares: readonly StateShare[], overview: Overview | undefined): FigureTold {
  const busy = shares.filter(({ tone }) => tone === 'busy')
  const workers = overview?.workers
  return {
    value: short(sumOf(busy)),
    note: workers === undefined ? 'jobs under way' : `${many(workers.items.length, 'worker')} at work`,
    tone: 'busy',
    to: '/jobs',
    search: { state: namesOf(busy) },
  }
}

function oldestWaiting({ waiting: { count: waiting, oldest } }: Overview): FigureTold {
  const [first] = oldest
  if (first === undefined) return { value: 'None', note: 'Nothing waits', tone: 'good', to: '/jobs' }
  return {
    value: <Since at={first.since} />,
    note: `${first.job_id} · ${many(waiting, 'job waits', 'jobs wait')}`,
    tone: 'retry',
    to: pathOf('job', first.tenant_id, first.job_id),
  }
}
