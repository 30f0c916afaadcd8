import { Argument, Option } from 'commander'
import type { ScheduleRecord } from '../../../core/schedule/record.ts'
import type { CallOptions } from '../../../ledger/settings.ts'
import { type CommandSpec, defineCommand } from '../../define-command.ts'
import type { ChangeableLedger } from '../../remote/changeable-ledger.ts'
import { tellSchedule } from './tell.ts'

interface Options {
  readonly reason?: string
}

type Move = (
  schedules: ChangeableLedger['schedules'],
  id: string,
  options: CallOptions,
) => Promise<ScheduleRecord>

/** Pause, resume and remove differ in a word. */
function moving(
  spec: Pick<CommandSpec<Options>, 'name' | 'summary' | 'about' | 'examples'>,
  move: Move,
): CommandSpec<Options> {
  return defineCommand<Options>({
    ...spec,
    arguments: [new Argument('<id>', 'id of the schedule')],
    options: [new Option('--reason <text>', 'why, for the history')],
    writes: true,
    exits: [
      [3, 'there is no such schedule'],
      [6, 'another process has the ledger open for writing'],
    ],
    async run(session, { tenant, reason }, [id]) {
      const ledger = await session.openToChange()
      await tellSchedule(session, await move(ledger.schedules, id as string, { tenant_id: tenant, reason }))
    },
  })
}

export const schedulePause = moving(
  {
    name: 'pause',
    summary: 'submit nothing until it is resumed',
    about: 'Pauses a schedule: it submits nothing until somebody resumes it. Jobs that it made go on.',
    examples: [
      ['schedule pause nightly --reason "moving house"', 'for a while'],
      ['schedule pause nightly && waybill schedule list', 'and look'],
    ],
  },
  (schedules, id, options) => schedules.pause(id, options),
)

export const scheduleResume = moving(
  {
    name: 'resume',
    summary: 'go on with the next time',
    about:
      'Resumes a schedule. It goes on with the next time; those that passed while it was paused are not made up for.',
    examples: [
      ['schedule resume nightly', 'go on'],
      ['schedule resume nightly --json | jq -r .next_at', 'when is it next?'],
    ],
  },
  (schedules, id, options) => schedules.resume(id, options),
)

export const scheduleRemove = moving(
  {
    name: 'remove',
    summary: 'take a schedule away',
    about:
      'Removes a schedule. Jobs that it made go on; what it did stays in the history. schedule add puts it back.',
    examples: [
      ['schedule remove nightly', 'it is not needed any more'],
      ['schedule remove nightly --reason "replaced by hourly"', 'and say why'],
    ],
  },
  (schedules, id, options) => schedules.remove(id, options),
)
