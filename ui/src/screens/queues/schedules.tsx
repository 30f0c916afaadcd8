import { useQuery } from '@tanstack/react-query'
import { type ScheduleRecord, schedulesQuery, steerSchedule } from '../../api/queues.ts'
import { useMay, usePage } from '../../app/context.ts'
import { PlainTable } from '../../lists/plain-table.tsx'
import { Answer } from '../../parts/answer.tsx'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { useAct } from '../../parts/use-act.ts'
import { When } from '../../parts/when.tsx'
import styles from './queues.module.css'
import { SCHEDULE_VERBS, type Verb, verbsFor } from './steering.ts'

const COLUMNS = [
  {
    title: 'Schedule',
    cell: ({ tenant_id, schedule_id }: ScheduleRecord) => (
      <span className={styles.name}>
        <small>{tenant_id}</small> <span>{schedule_id}</span>
      </span>
    ),
  },
  { title: 'State', cell: ({ state }: ScheduleRecord) => <StatePill kind="schedule" state={state} /> },
  {
    title: 'When',
    cell: ({ cron, timezone }: ScheduleRecord) => (
      <span title={timezone}>
        <code>{cron}</code> {timezone === 'UTC' ? '' : timezone}
      </span>
    ),
  },
  {
    title: 'Submits',
    isExtra: true,
    cell: ({ request }: ScheduleRecord) => String(request.request_type ?? '–'),
  },
  {
    title: 'Next',
    isExtra: true,
    cell: ({ next_at, retry_at }: ScheduleRecord) => <When at={retry_at ?? next_at} />,
  },
  {
    title: 'Last job',
    isExtra: true,
    cell: ({ tenant_id, last_job_id }: ScheduleRecord) =>
      last_job_id === null ? '–' : <RecordLink kind="job" tenant={tenant_id} id={last_job_id} isPlain />,
  },
  { title: 'Steer', cell: (schedule: ScheduleRecord) => <Steer schedule={schedule} /> },
]

/** What submits jobs by itself. */
export function Schedules() {
  const { tenant } = usePage()
  const query = useQuery(schedulesQuery(tenant))
  const nothing = (
    <Notice kind="empty" title="Nothing is scheduled">
      <code>waybill schedule add</code> has jobs submitted again and again.
    </Notice>
  )
  return (
    <Panel title="Schedules" isFlush>
      <Answer query={query} instead={({ items }) => (items.length === 0 ? nothing : null)}>
        {({ items }) => (
          <>
            <PlainTable
              label="Schedules"
              items={items}
              columns={COLUMNS}
              keyOf={({ tenant_id, schedule_id }) => `${tenant_id} ${schedule_id}`}
            />
            {items.map((schedule) => (
              <LastError key={`${schedule.tenant_id} ${schedule.schedule_id}`} schedule={schedule} />
            ))}
          </>
        )}
      </Answer>
    </Panel>
  )
}

function LastError({ schedule }: { readonly schedule: ScheduleRecord }) {
  const { schedule_id, last_error_code, last_error_message } = schedule
  if (last_error_message === null) return null
  return (
    <p className={styles.problem}>
      <strong>{schedule_id}</strong> was refused the last time: {last_error_code} {last_error_message}
    </p>
  )
}

function Steer({ schedule }: { readonly schedule: ScheduleRecord }) {
  const { machines } = usePage()
  const { whyNot } = useMay('write')
  const act = useAct()
  const { schedule_id, state } = schedule
  const steer = ({ verb, title, to }: Verb) =>
    act({
      question: {
        title: `${title} the schedule ${schedule_id}?`,
        body: `${machines.schedule.states[to]?.about}.`,
        confirm: `${title} it`,
      },
      does: (reason) => steerSchedule(schedule, verb, reason),
      said: () => `${schedule_id} is ${to} now`,
      topics: ['schedule'],
    })
  return (
    <span className={styles.steer}>
      {verbsFor(machines.schedule, state, SCHEDULE_VERBS).map((verb) => (
        <Button
          key={verb.verb}
          whyNot={whyNot}
          label={`${verb.title} ${schedule_id}`}
          onClick={() => void steer(verb)}
        >
          {verb.title}
        </Button>
      ))}
    </span>
  )
}
