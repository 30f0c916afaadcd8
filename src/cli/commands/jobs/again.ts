import { Argument, Option } from 'commander'
import { defineCommand } from '../../define-command.ts'
import { type InFlightOptions, inFlightOption } from '../../options/in-flight-limit.ts'
import { tellServerDecides } from '../../remote/server-decides.ts'
import { tellSubmitted } from '../tell-submitted.ts'

interface Options extends InFlightOptions {
  readonly from?: string
  readonly key?: string
  readonly id?: string
  readonly reason?: string
}

export const jobsAgain = defineCommand<Options>({
  name: 'again',
  summary: 'make a new job of one that has ended',
  about:
    'What has ended stays as it is; this makes a new job of it with the same request, and prints its id. With --from it ' +
    'begins at that step, and takes over what the steps before it came to. The new job knows which one it runs again.',
  arguments: [new Argument('<id>', 'id of the job that has ended')],
  options: [
    new Option('--from <step>', 'the step to begin with; from the beginning unless told'),
    new Option('--key <text>', 'idempotency key: the same key again answers with the same new job'),
    new Option('--id <id>', 'id of the new job; a fresh one unless told'),
    inFlightOption(),
    new Option('--reason <text>', 'why, for the history'),
  ],
  writes: true,
  examples: [
    ['jobs again JOB', 'all of it'],
    ['jobs again JOB --from embed --reason "model was down"', 'from the step that failed'],
    ['jobs again JOB --key retry-1', 'once, however often this is run'],
  ],
  exits: [
    [2, 'it has no such step'],
    [3, 'there is no such job'],
    [4, 'it has not ended, or a step before --from never succeeded'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, options, [id]) {
    const ledger = await session.openToChange({ inFlightLimit: options.inFlightLimit })
    await tellServerDecides(session, { 'in-flight-limit': options.inFlightLimit })
    const job = await ledger.jobs.again(id as string, {
      tenant_id: options.tenant,
      from_step: options.from,
      idempotency_key: options.key,
      new_job_id: options.id,
      reason: options.reason,
    })
    await tellSubmitted(session, job)
  },
})
