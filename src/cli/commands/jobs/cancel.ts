import { Argument, Option } from 'commander'
import { WaybillError } from '../../../errors/waybill-error.ts'
import type { CallOptions } from '../../../ledger/settings.ts'
import { defineCommand } from '../../define-command.ts'
import { describeError } from '../../describe-error.ts'
import { safeJson, safeText } from '../../output/safe-text.ts'
import { stateStyle } from '../../output/state-style.ts'
import type { ChangeableJobs } from '../../remote/changeable-ledger.ts'
import type { Session } from '../../session.ts'
import { doToMany, filterInstead, type ManyJobsOptions, manyOptions } from './many.ts'

interface Options extends ManyJobsOptions {
  readonly reason?: string
}

export const jobsCancel = defineCommand<Options>({
  name: 'cancel',
  summary: 'end jobs before they are done',
  about:
    'Ends jobs. One that nobody works on is CANCELLED at once; of one that somebody works on the worker is told to ' +
    'stop, and until it has the job is CANCELLING. A job that has ended stays as it is, which is no error. Each job ' +
    'is cancelled by itself: one that is not there does not keep the others.\n\nA filter in the place of ids means all ' +
    'open jobs that match. How many those are is told first; with --yes, or --expect and the number, they are cancelled.',
  arguments: [new Argument('[id...]', 'ids of the jobs')],
  options: [...manyOptions(), new Option('--reason <text>', 'why, for the history')],
  writes: true,
  examples: [
    ['jobs cancel JOB --reason "wrong file"', 'one'],
    ['jobs cancel --run nightly', 'how many are open of a run'],
    ['jobs cancel --run nightly --expect 12', 'all of them, unless others have come'],
    ['jobs cancel --state QUEUED --type OCR --yes', 'all that have not begun'],
  ],
  exits: [
    [2, 'nothing was done: a filter without --yes or --expect'],
    [3, 'there is no such job'],
    [4, 'more match than --expect says'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, options, [ids]) {
    const { tenant: tenant_id, reason } = options
    const filter = filterInstead(ids as readonly string[], options)
    const { jobs } = await session.openToChange()
    if (filter === null) return cancelEach(session, jobs, ids as readonly string[], { tenant_id, reason })
    const own = { ...filter, tenant_id }
    await doToMany(session, options, {
      done: 'cancelled',
      count: () => jobs.cancelMany(own),
      all: (how) => jobs.cancelMany(own, { ...how, reason }),
    })
  },
})

async function cancelEach(
  session: Session,
  jobs: ChangeableJobs,
  ids: readonly string[],
  options: CallOptions,
): Promise<void> {
  const { out, notes } = session
  for (const id of ids) {
    try {
      const before = await jobs.get(id, options.tenant_id)
      const job = await jobs.cancel(id, options)
      if (session.isJson) await out.line(safeJson(job))
      else {
        const was = before?.state === job.state ? 'is' : `${before?.state} →`
        await out.line(`${safeText(id)}: ${was} ${out.paint(stateStyle(job.state), job.state)}`)
      }
    } catch (error) {
      if (!(error instanceof WaybillError)) throw error
      const { exitCode, told } = describeError(error, session)
      session.found(exitCode)
      await notes.error(told)
    }
  }
}
