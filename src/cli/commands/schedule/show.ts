import { Argument } from 'commander'
import { scheduleMachine } from '../../../core/machines/schedule.ts'
import type { ScheduleRecord } from '../../../core/schedule/record.ts'
import { fromIso } from '../../../core/time.ts'
import { defineCommand } from '../../define-command.ts'
import { type Field, fieldLines } from '../../output/fields.ts'
import { safeText } from '../../output/safe-text.ts'
import { codedText, timeText } from '../../output/words.ts'
import { nextText, scheduleNotFound, scheduleStyle } from './tell.ts'

export const scheduleShow = defineCommand({
  name: 'show',
  summary: 'everything about one schedule',
  about:
    'Shows a schedule: when it is next, what it submits, the job it made last, and what went wrong if it could not.',
  arguments: [new Argument('<id>', 'id of the schedule')],
  examples: [
    ['schedule show nightly', 'all about it'],
    ['schedule show nightly --json | jq -r .last_job_id', 'the job it made last, for a program'],
  ],
  exits: [[3, 'there is no such schedule']],
  async run(session, { tenant }, [id]) {
    const ledger = await session.openToRead()
    const schedule = await ledger.schedules.get(id as string, tenant)
    if (schedule === null) throw scheduleNotFound(session, id as string)
    if (session.isJson) return session.json(schedule)
    const { out } = session
    const heading = out.paint('bold', safeText(schedule.schedule_id))
    await out.write(`${heading}\n${fieldLines(out, scheduleFields(schedule, session.clock.now()))}`)
    await out.write(`  request\n${requestLines(schedule.request)}`)
  },
})

function scheduleFields(schedule: ScheduleRecord, now: number): readonly Field[] {
  const { state, overlap, catch_up, retry_at, last_at } = schedule
  return [
    ['state', state, scheduleMachine.states[state].about, scheduleStyle(state)],
    ['since', timeText(fromIso(schedule.state_since))],
    ['times', schedule.cron, schedule.timezone],
    ['next', state === 'active' ? nextText(schedule, now) : null],
    ['tried again', retry_at],
    ['last', last_at === null ? null : timeText(fromIso(last_at))],
    ['last job', schedule.last_job_id],
    ['error', codedText(schedule.last_error_code, schedule.last_error_message), undefined, 'red'],
    [
      'overlap',
      overlap,
      overlap === 'allow' ? 'submits beside the job before' : 'not while the job before is open',
    ],
    ['catch up', catch_up, 'for times that nobody was there'],
    ['tenant', schedule.tenant_id],
    ['etag', schedule.etag],
  ]
}

function requestLines(request: ScheduleRecord['request']): string {
  const text = JSON.stringify(request, null, 2).split('\n').slice(1, -1)
  return text.map((line) => `  ${safeText(line)}\n`).join('')
}
