import { Argument, Option } from 'commander'
import { InvalidInput } from '../../../errors/input-errors.ts'
import { defineCommand } from '../../define-command.ts'
import { type InFlightOptions, inFlightOption } from '../../options/in-flight-limit.ts'
import { tellServerDecides } from '../../remote/server-decides.ts'
import { tellSubmitted } from '../tell-submitted.ts'
import { doToMany, filterInstead, type ManyJobsOptions, manyOptions } from './many.ts'

interface Options extends InFlightOptions, ManyJobsOptions {
  readonly from?: string
  readonly key?: string
  readonly id?: string
  readonly reason?: string
}

export const jobsAgain = defineCommand<Options>({
  name: 'again',
  summary: 'make new jobs of those that have ended',
  about:
    'What has ended stays as it is; this makes a new job of it with the same request, and prints its id. With --from it ' +
    'begins at that step, and takes over what the steps before it came to. The new job knows which one it runs again.\n\n' +
    'A filter in the place of an id means all jobs that match and failed for good, or are in the states of --state. How ' +
    'many those are is told first; with --yes, or --expect and the number, new jobs are made of them. However often that ' +
    'is done, each is run again once; with another --key once more.',
  arguments: [new Argument('[id]', 'id of the job that has ended')],
  options: [
    ...manyOptions(),
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
    ['jobs again --type OCR --since 1d', 'how many failed since yesterday'],
    ['jobs again --type OCR --since 1d --yes', 'all of them'],
  ],
  exits: [
    [2, 'it has no such step; or nothing was done: a filter without --yes or --expect'],
    [3, 'there is no such job'],
    [4, 'it has not ended, or a step before --from never succeeded; or more match than --expect says'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, options, [id]) {
    const { tenant: tenant_id, from: from_step, key, id: new_job_id, reason } = options
    const filter = filterInstead(id === undefined ? [] : [id as string], options)
    const { jobs } = await session.openToChange({ inFlightLimit: options.inFlightLimit })
    await tellServerDecides(session, { 'in-flight-limit': options.inFlightLimit })
    if (filter === null) {
      const how = { tenant_id, from_step, idempotency_key: key, new_job_id, reason }
      return tellSubmitted(session, await jobs.again(id as string, how))
    }
    if (new_job_id !== undefined) throw oneIdForMany()
    const own = { ...filter, tenant_id }
    await doToMany(session, options, {
      done: 'run again',
      count: () => jobs.againMany(own),
      all: (how) => jobs.againMany(own, { ...how, from_step, request_key: key, reason }),
    })
  },
})

function oneIdForMany(): InvalidInput {
  return new InvalidInput('id', '--id is for one job, and a filter means several', 'Leave it out.')
}
