import { Argument, Option } from 'commander'
import { PRIORITIES } from '../../../core/job/record.ts'
import { shellWord } from '../../../core/shell-word.ts'
import type { QueueJobOptions } from '../../../orchestrator/orchestrator.ts'
import { defineCommand } from '../../define-command.ts'
import { type AdapterOptions, adaptersOf, adaptersOption } from '../../options/adapters.ts'
import { type InFlightOptions, inFlightOption } from '../../options/in-flight-limit.ts'
import type { Session } from '../../session.ts'
import { isLeft, type Outcome, outcomesOf, outcomeText } from './outcome.ts'
import { RunNotes } from './run-notes.ts'
import { ToolOutput } from './tool-output.ts'

interface Options extends AdapterOptions, InFlightOptions {
  readonly priority?: QueueJobOptions['priority']
  readonly reason?: string
}

const FAILED = 1

export const runJob = defineCommand<Options>({
  name: 'run-job',
  summary: 'run a tool job here and now',
  about:
    'Runs the tool job that a file describes, with its retries and whatever takes over when it fails for good (another ' +
    'tool, at last a person), and says how it ended. What the tool prints goes to the error stream as it is printed, ' +
    'and into its log file; --quiet leaves it to the log. Relative paths in the file start from where you are. The same ' +
    'job again goes on where it was, or says how it ended. Ctrl-C cancels it: the tool and all its processes are ended. ' +
    'Which tools there are, and what the file holds, is in docs/tool-adapters.md and schemas/tool-job.schema.json.',
  arguments: [new Argument('<file>', 'the tool job, in JSON')],
  options: [
    new Option('--priority <level>', 'how urgent it is; normal unless told').choices(PRIORITIES),
    adaptersOption(),
    inFlightOption(),
    new Option('--reason <text>', 'why, for the history'),
  ],
  writes: true,
  examples: [
    ['run-job job.json', 'watch it'],
    ['run-job job.json --quiet && git push', 'go on only if it was completed'],
    ['run-job job.json --json | jq -r .metadata.tests.failed', 'how many tests failed, for a program'],
    ['run-job job.json --adapters ./adapters.ts', 'with a tool of your own'],
  ],
  exits: [
    [0, 'it was completed'],
    [1, 'it failed, took too long, was cancelled, or is left to a person'],
    [2, 'the file makes no sense; every mistake is named'],
    [3, 'there is no such file'],
    [4, 'there is another job of this id, or there are too many open jobs'],
    [6, 'another process has the ledger open for writing'],
    [7, 'no adapter runs such a tool'],
  ],
  async run(session, options, [file]) {
    const { readToolJob } = await import('../../../orchestrator/tools/read-tool-job.ts')
    const { realWorld } = await import('../../../world/world.ts')
    const { JobStateStore, Orchestrator } = await session.library()
    // What can be seen to be wrong is said without a ledger.
    const job = await readToolJob(file as string, realWorld.disk)
    const adapters = await adaptersOf(options)
    const ledger = await session.openToWrite({
      inFlightLimit: options.inFlightLimit,
      instead: 'Leave it to the server: waybill queue add FILE; one that was started with --tools runs it.',
    })
    const store = new JobStateStore(ledger)
    const output = new ToolOutput(session)
    const orchestrator = new Orchestrator({ store, adapters, onOutput: output.take })
    const notes = new RunNotes(session, ledger, output, job.job_id)
    const { ending: signal } = session
    signal.addEventListener('abort', () => output.say(STOPPING))
    const { priority, reason } = options
    await notes.start()
    const isKnown = (await store.getJobStatus(job.job_id)) !== 'not_found'
    if (isKnown) output.say(`Job ${job.job_id} is known here: this goes on with it, or says how it ended.`)
    try {
      await orchestrator.runJob(job, { priority, reason, signal })
    } finally {
      await notes.stop()
      await output.finish()
    }
    await tell(session, await outcomesOf(store, job.job_id))
  },
})

const STOPPING =
  'Stopping: the job is being cancelled, and its processes ended. Ctrl-C once more leaves at once.'

async function tell(session: Session, outcomes: readonly Outcome[]): Promise<void> {
  const { out, notes } = session
  const last = outcomes.at(-1) as Outcome
  if (last.status !== 'completed') session.found(FAILED)
  if (session.isJson) return session.json({ ...last, escalations: outcomes.slice(0, -1) })
  await out.write(outcomes.map((outcome) => outcomeText(out, outcome)).join('\n'))
  const id = shellWord(last.job_id)
  if (isLeft(last)) {
    await notes.hint(`When it is done: ${session.hintOf(`jobs resolve ${id} --done`)}`)
  } else if (last.status !== 'completed') {
    await notes.hint(`All about it: ${session.hintOf(`jobs show ${id}`)}`)
  }
}
