import { Argument, Option } from 'commander'
import { isJsonObject, type Json } from '../../../core/json.ts'
import type { CatchUp, Overlap } from '../../../core/schedule/record.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import type { ScheduledRequest } from '../../../ledger/steering.ts'
import { defineCommand } from '../../define-command.ts'
import { inputText } from '../../input/input-lines.ts'
import { type ProtocolOptions, protocolsFile, protocolsOption } from '../../options/protocols.ts'
import { type RequestOptions, requestOf, requestOptions } from '../../options/request.ts'
import { tellServerDecides } from '../../remote/server-decides.ts'
import { tellSchedule } from './tell.ts'

interface Options extends RequestOptions, ProtocolOptions {
  readonly cron: string
  readonly timezone?: string
  readonly overlap?: Overlap
  readonly catchUp?: CatchUp
  readonly file?: string
  readonly reason?: string
}

export const scheduleAdd = defineCommand<Options>({
  name: 'add',
  summary: 'submit a job again and again, by the calendar',
  about:
    'Makes a schedule, or changes the one of that id: whenever its time comes a job is submitted, as with waybill ' +
    'submit. That is done by a worker, which has to know the protocol as well. Times that pass while none is there are ' +
    'made up for by one job, unless --catch-up says otherwise.',
  arguments: [
    new Argument('<id>', 'id of the schedule'),
    new Argument('[type]', 'what is asked for each time: the request type of a protocol'),
  ],
  options: [
    new Option(
      '--cron <expression>',
      'when: minute, hour, day, month, day of the week; six fields begin with seconds',
    ).makeOptionMandatory(),
    new Option('--timezone <name>', 'whose calendar, as in Europe/Berlin; UTC unless told'),
    new Option('--overlap <what>', 'when the job before is still open: submit all the same, or not').choices([
      'allow',
      'skip',
    ]),
    new Option(
      '--catch-up <what>',
      'times that nobody was there for: one job for all of them, none, or all',
    ).choices(['one', 'none', 'all']),
    ...requestOptions(),
    new Option(
      '--file <file>',
      'the request as JSON, instead of options; - for the standard input',
    ).conflicts(requestOptions().map((option) => option.attributeName())),
    protocolsOption(),
    new Option('--reason <text>', 'why, for the history'),
  ],
  writes: true,
  examples: [
    ['schedule add nightly INDEX --cron "0 3 * * *" --input all --output index', 'every night at three, UTC'],
    [
      'schedule add sync SYNC --cron "*/5 * * * *" --overlap skip --input a --output b',
      'every five minutes, unless one is still at it',
    ],
    [
      'schedule add report --cron "0 8 * * MON" --timezone Europe/Berlin --file request.json',
      'on Mondays at eight in Berlin',
    ],
  ],
  exits: [
    [2, 'the times or the request make no sense'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, options, [id, type]) {
    const request = await scheduledRequest(options, type as string | undefined)
    const ledger = await session.openToChange({ protocols: await protocolsFile(options) })
    await tellServerDecides(session, { protocols: options.protocols })
    const schedule = await ledger.schedules.put(
      {
        schedule_id: id as string,
        cron: options.cron,
        timezone: options.timezone,
        overlap: options.overlap,
        catch_up: options.catchUp,
        request,
      },
      { tenant_id: options.tenant, reason: options.reason },
    )
    await tellSchedule(session, schedule)
  },
})

async function scheduledRequest(options: Options, type: string | undefined): Promise<ScheduledRequest> {
  if (options.file === undefined) {
    if (type !== undefined) return (await requestOf(type, options)) as ScheduledRequest
    const next = 'Give a request type, as in: waybill schedule add ID OCR --input … --output …; or --file.'
    throw new InvalidInput('type', 'It is not said what is asked for', next)
  }
  const text = await inputText(options.file)
  const request = parse(text, options.file)
  if (!isJsonObject(request)) {
    throw new InvalidInput(
      'file',
      `${options.file} is JSON, but not a request`,
      'Write an object: {"request_type": …}.',
    )
  }
  const named = type === undefined ? null : { request_type: type }
  return { schema_version: 'v1', ...request, ...named } as unknown as ScheduledRequest
}

function parse(text: string, file: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw InvalidInput.by(
      error,
      'file',
      `${file} is not JSON: ${(error as Error).message}`,
      'Correct the file.',
    )
  }
}
