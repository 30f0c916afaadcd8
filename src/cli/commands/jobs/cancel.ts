import { Argument, Option } from 'commander'
import { WaybillError } from '../../../errors/waybill-error.ts'
import { defineCommand } from '../../define-command.ts'
import { describeError } from '../../describe-error.ts'
import { safeJson, safeText } from '../../output/safe-text.ts'
import { stateStyle } from '../../output/state-style.ts'

interface Options {
  readonly reason?: string
}

export const jobsCancel = defineCommand<Options>({
  name: 'cancel',
  summary: 'end jobs before they are done',
  about:
    'Ends jobs. One that nobody works on is CANCELLED at once; of one that somebody works on the worker is told to ' +
    'stop, and until it has the job is CANCELLING. A job that has ended stays as it is, which is no error. Each job ' +
    'is cancelled by itself: one that is not there does not keep the others.',
  arguments: [new Argument('<id...>', 'ids of the jobs')],
  options: [new Option('--reason <text>', 'why, for the history')],
  writes: true,
  examples: [
    ['jobs cancel JOB --reason "wrong file"', 'one'],
    [
      'jobs list --run nightly --open --json | jq -r .job_id | xargs waybill jobs cancel',
      'all that are open of a run',
    ],
  ],
  exits: [
    [3, 'there is no such job'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, { tenant, reason }, [ids]) {
    const { out, notes } = session
    const ledger = await session.openToChange()
    for (const id of ids as readonly string[]) {
      try {
        const before = await ledger.jobs.get(id, tenant)
        const job = await ledger.jobs.cancel(id, { tenant_id: tenant, reason })
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
  },
})
