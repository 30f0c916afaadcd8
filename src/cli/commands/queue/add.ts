import { resolve } from 'node:path'
import { Argument, Option } from 'commander'
import { DEPENDENCY_POLICIES, PRIORITIES } from '../../../core/job/record.ts'
import { WaybillError } from '../../../errors/waybill-error.ts'
import type { QueueJobOptions } from '../../../orchestrator/orchestrator.ts'
import type { Adapter } from '../../../orchestrator/tools/adapter.ts'
import type { LiveLedger } from '../../../runtime/live-ledger.ts'
import { defineCommand } from '../../define-command.ts'
import { describeError } from '../../describe-error.ts'
import { type AdapterOptions, adaptersOf, adaptersOption } from '../../options/adapters.ts'
import { collect } from '../../options/collect.ts'
import { type InFlightOptions, inFlightOption } from '../../options/in-flight-limit.ts'
import type { AcceptedJob, ChangeableLedger } from '../../remote/changeable-ledger.ts'
import type { RemoteLedger } from '../../remote/remote-ledger.ts'
import { tellServerDecides } from '../../remote/server-decides.ts'
import type { Session } from '../../session.ts'
import { tellSubmitted } from '../tell-submitted.ts'

interface Options extends AdapterOptions, InFlightOptions, QueueJobOptions {}

export const queueAdd = defineCommand<Options>({
  name: 'add',
  summary: 'leave tool jobs to the workers',
  about:
    'Queues the tool jobs that files describe, and prints their ids. Each waits in the queue of its tool (tool:aider, ' +
    'say) for a worker: waybill worker. The more urgent go first, and among those the earlier ones. Relative paths in a ' +
    'file start from where you are. The same job again is the same one. Each file is taken by itself: one that makes ' +
    'no sense does not keep the others. How many of a tool may run at once is said with: waybill queue limit tool:aider.',
  arguments: [new Argument('<file...>', 'tool jobs, in JSON')],
  options: [
    new Option('--priority <level>', 'how urgent they are; normal unless told').choices(PRIORITIES),
    new Option('--after <job>', 'a job that has to be done first; repeat it for more').argParser(collect),
    new Option(
      '--on-dependency-failure <what>',
      'what becomes of them when such a job does not succeed; fail unless told',
    ).choices(DEPENDENCY_POLICIES),
    adaptersOption(),
    inFlightOption(),
    new Option('--reason <text>', 'why, for the history'),
  ],
  writes: true,
  examples: [
    ['queue add job.json', 'one'],
    ['queue add fix-*.json --priority high', 'several, before others'],
    [
      'queue add tests.json --after job-1 --on-dependency-failure skip',
      'when another is done, and only then',
    ],
    ['queue limit tool:aider --concurrency 1', 'and of these one at a time'],
  ],
  exits: [
    [2, 'a file makes no sense, or waits for a job that is not known'],
    [3, 'there is no such file'],
    [4, 'there is another job of this id, or there are too many open jobs'],
    [6, 'another process has the ledger open for writing'],
    [7, 'no adapter runs such a tool'],
  ],
  async run(session, options, [files]) {
    const adapters = await adaptersOf(options)
    const ledger = await session.openToChange({ inFlightLimit: options.inFlightLimit })
    const queueJob = await queueOf(session, ledger, adapters)
    await tellServerDecides(session, {
      adapters: options.adapters,
      'in-flight-limit': options.inFlightLimit,
    })
    const { priority, after, onDependencyFailure, reason } = options
    for (const file of files as readonly string[]) {
      try {
        const job = await queueJob(file, { priority, after, onDependencyFailure, reason })
        await tellSubmitted(session, job)
      } catch (error) {
        if (!(error instanceof WaybillError)) throw error
        const { exitCode, told } = describeError(error, session)
        session.found(exitCode)
        const where = told.message.includes(file) ? '' : `${file}: `
        await session.notes.error({ ...told, message: `${where}${told.message}` })
      }
    }
  },
})

type QueueJob = (file: string, options: QueueJobOptions) => Promise<AcceptedJob>

async function queueOf(
  session: Session,
  ledger: ChangeableLedger,
  adapters: readonly Adapter[],
): Promise<QueueJob> {
  const { JobStateStore, Orchestrator } = await session.library()
  if (!isRemote(ledger)) {
    const store = new JobStateStore(ledger as LiveLedger)
    const orchestrator = new Orchestrator({ store, adapters })
    return (file, options) => orchestrator.queueJob(file, options)
  }
  const { readToolJob } = await import('../../../orchestrator/tools/read-tool-job.ts')
  const { realWorld } = await import('../../../world/world.ts')
  return async (file, options) => {
    const job = await readToolJob(resolve(file), realWorld.disk)
    // Where we are says the server nothing.
    const paths = { ...job.paths, repo_root: resolve(job.paths.repo_root) }
    return ledger.queueToolJob({ ...job, paths }, options)
  }
}

/** Not by its class, which would be loaded by every command. */
function isRemote(ledger: ChangeableLedger): ledger is RemoteLedger {
  return 'queueToolJob' in ledger
}
