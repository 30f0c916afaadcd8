import { Option } from 'commander'
import type { ScheduleState } from '../../../core/machines/schedule.ts'
import type { ScheduleRecord } from '../../../core/schedule/record.ts'
import { fromIso } from '../../../core/time.ts'
import type { Page } from '../../../store/query.ts'
import { defineCommand } from '../../define-command.ts'
import { writeList } from '../../output/list.ts'
import { type Column, NEEDED } from '../../output/table.ts'
import { codedText, durationText } from '../../output/words.ts'
import { scheduleStyle } from './tell.ts'

interface Options {
  readonly state?: ScheduleState
  readonly all?: boolean
}

export const scheduleList = defineCommand<Options>({
  name: 'list',
  summary: 'which schedules there are, and when each is next',
  about:
    'Lists the schedules of a tenant: what each submits and when it is next, the job it made last, and what went wrong ' +
    'if it could not. Those that were removed are left out, unless --all or --state asks for them.',
  options: [
    new Option('--state <state>', 'only in this state').choices(['active', 'paused', 'removed']),
    new Option('--all', 'those that were removed as well'),
  ],
  examples: [
    ['schedule list', 'what is to come'],
    ['schedule list --state paused --json | jq -r .schedule_id', 'which are paused, for a program'],
  ],
  async run(session, { state, all, tenant }) {
    const ledger = await session.openToRead()
    const schedules = ledger.schedules.list({
      ...(tenant === undefined ? null : { tenant_id: tenant }),
      ...(state === undefined ? null : { state }),
    })
    const isShown = (schedule: ScheduleRecord) =>
      state !== undefined || all === true || schedule.state !== 'removed'
    await writeList(session, pagesOf(schedules, isShown), {
      columns: scheduleColumns(session.clock.now()),
      what: 'schedule',
      empty: () => 'There are no such schedules.',
    })
  },
})

const AT_ONCE = 100

async function* pagesOf(
  schedules: AsyncIterable<ScheduleRecord>,
  isShown: (schedule: ScheduleRecord) => boolean,
): AsyncGenerator<Page<ScheduleRecord>> {
  let items: ScheduleRecord[] = []
  for await (const schedule of schedules) {
    if (isShown(schedule)) items.push(schedule)
    if (items.length < AT_ONCE) continue
    yield { items, next: null }
    items = []
  }
  yield { items, next: null }
}

function scheduleColumns(now: number): readonly Column<ScheduleRecord>[] {
  return [
    { title: 'ID', value: ({ schedule_id }) => schedule_id, least: 10, worth: NEEDED },
    {
      title: 'STATE',
      value: ({ state }) => state,
      style: ({ state }) => scheduleStyle(state),
      least: 7,
      worth: NEEDED,
    },
    { title: 'CRON', value: ({ cron }) => cron, least: 9, worth: 5 },
    { title: 'TIMEZONE', value: ({ timezone }) => timezone, least: 8 },
    { title: 'NEXT IN', value: (schedule) => nextIn(schedule, now), align: 'right', least: 7, worth: 6 },
    { title: 'TYPE', value: ({ request }) => String(request.request_type), least: 8, worth: 4 },
    { title: 'LAST JOB', value: ({ last_job_id }) => last_job_id, least: 10, worth: 1 },
    {
      title: 'ERROR',
      value: ({ last_error_code, last_error_message }) => codedText(last_error_code, last_error_message),
      style: () => 'red',
      least: 10,
      worth: 3,
    },
  ]
}

function nextIn({ state, next_at }: ScheduleRecord, now: number): string | null {
  if (state !== 'active' || next_at === null) return null
  const ms = fromIso(next_at) - now
  return ms < 0 ? 'overdue' : durationText(Math.ceil(ms / 1000))
}
