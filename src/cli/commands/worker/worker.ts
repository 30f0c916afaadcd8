import { Argument, Option } from 'commander'
import { toIso } from '../../../core/time.ts'
import type { LiveLedger } from '../../../runtime/live-ledger.ts'
import type { Service } from '../../../runtime/service.ts'
import { systemTimers } from '../../../world/timers.ts'
import { defineCommand } from '../../define-command.ts'
import { type AdapterOptions, adaptersOf, adaptersOption } from '../../options/adapters.ts'
import { type GraceOptions, graceOption } from '../../options/grace.ts'
import { type InFlightOptions, inFlightOption } from '../../options/in-flight-limit.ts'
import { type ProtocolOptions, protocolsFile, protocolsOption } from '../../options/protocols.ts'
import { workOptions } from '../../options/work.ts'
import { durationText } from '../../output/words.ts'
import type { Session } from '../../session.ts'
import { loadWorkerModule } from './load-module.ts'
import { startServices } from './start-services.ts'
import { type PlanOptions, planOf, type WorkPlan, withTools } from './work-plan.ts'
import { WorkerDisplay } from './worker-display.ts'

interface Options extends ProtocolOptions, InFlightOptions, AdapterOptions, GraceOptions, PlanOptions {
  readonly concurrency?: number
  readonly untilIdle?: boolean
  readonly name?: string
  readonly exitCode?: boolean
}

const FAILED = 1

export const worker = defineCommand<Options>({
  name: 'worker',
  summary: 'do the work: run functions of a module, pipelines and tools on what is ready',
  about:
    'Does the work of the ledger. A module, JavaScript or TypeScript, says how: handlers ({ queue: function }) do the ' +
    'steps of queues, pipelines ([pipeline]) those of their stages, publishers ({ service: { publish } }) send ' +
    'directives to services, protocols ([protocol]) say how the requests of schedules are answered, adapters ' +
    '([adapter]) how more tools are run, stages ({ stage: function }) do those of a --topology. They are exported under ' +
    'these names, or together as the default export. With --tools it runs tool jobs (see waybill queue add) as well; ' +
    'without a module it does so unless told otherwise. Meanwhile time passes: what is due is done, and schedules ' +
    'submit their jobs. Ctrl-C stops it in good order: what runs may finish for a while, and is given back if it does ' +
    'not; a second Ctrl-C ends it at once. Steps are handed out to one worker only. A ledger in a folder is open in one ' +
    'process at a time; one in a database in as many as you like.',
  arguments: [
    new Argument(
      '[module]',
      'the module; that of WAYBILL_WORKER, else ./waybill.worker.ts or .js if there is one',
    ),
  ],
  options: [
    ...workOptions(),
    new Option('--until-idle', 'end when nothing is ready, running or due within a moment'),
    new Option('--name <name>', 'who it is in the history and as the holder of leases'),
    graceOption('how long handlers may go on when it is stopped; 10s unless told'),
    new Option('--exit-code', 'end with 1 if a job failed for good meanwhile'),
    adaptersOption(),
    protocolsOption(),
    inFlightOption(),
  ],
  writes: true,
  examples: [
    ['worker worker.ts', 'do what there is to do, until Ctrl-C'],
    ['worker worker.ts --queue render --concurrency 2', 'only one queue, two at once'],
    ['worker', 'run the tool jobs of the ledger'],
    ['worker --tools aider,tests --concurrency 4', 'only those of two tools, four at once'],
    ['worker stages.ts --topology pdf.yaml', 'a pipeline: the file says in which order, the module how'],
    [
      'worker worker.ts --until-idle --exit-code',
      'for a script: until there is nothing to do, and did all go well?',
    ],
    ['worker --no-tools --until-idle', 'only what is due: timers, retries, schedules'],
  ],
  exits: [
    [0, 'it was stopped, or there is nothing to do (--until-idle)'],
    [1, 'with --exit-code: a job failed for good'],
    [2, 'the module or the topology makes no sense'],
    [3, 'there is no such module or topology'],
    [6, 'another process has the ledger open for writing'],
    [7, 'there is no such tool'],
  ],
  async run(session, options, [given]) {
    const module = await loadWorkerModule((given as string | undefined) ?? process.env.WAYBILL_WORKER)
    const plan = await planOf(module, await adaptersOf(options), options)
    const display = new WorkerDisplay(session)
    const ledger = await session.openToWrite({
      protocols: await protocolsFile(options),
      inFlightLimit: options.inFlightLimit,
      logger: display.logger,
      instead: 'Have the server do the work: end it, and start it as: waybill serve MODULE',
    })
    ledger.jobs.register(...plan.protocols)
    const hold = systemTimers.hold()
    try {
      await work(session, ledger, await withTools(session, ledger, plan), options, display)
    } finally {
      hold.cancel()
      await display.stop()
    }
    if (options.exitCode === true && display.report.jobsFailed > 0) session.found(FAILED)
  },
})

/** Until it is stopped, or there is nothing to do. What happens meanwhile is shown, to the last. */
async function work(
  session: Session,
  ledger: LiveLedger,
  plan: WorkPlan,
  options: Options,
  display: WorkerDisplay,
): Promise<void> {
  const { ending } = session
  const watched = new AbortController()
  let seen: string | undefined
  const watching = (async () => {
    for await (const record of ledger.events({ signal: watched.signal })) {
      seen = record.cursor
      await display.take(record)
    }
  })()
  const { items: newest } = await ledger.audit.query({ direction: 'desc', limit: 1 })
  const begin = newest[0]?.cursor
  const services = startServices(ledger, plan, options)
  const timekeeper = ledger.keepTime()
  await display.say(startText(plan, services[0] ?? timekeeper))
  display.start()
  const stopped = new Promise<void>((resolve) => {
    ending.addEventListener('abort', () => resolve(), { once: true })
  })
  // Whoever cannot be shown anything any more has no reason to go on.
  const isOver = options.untilIdle === true ? ledger.idle({ signal: ending }) : stopped
  try {
    await Promise.race([isOver, stopped, watching])
    if (ending.aborted) await display.say(stoppingText(display))
  } finally {
    await Promise.all(services.map((service) => service.stop()))
    // Last: what the others wrote may be due at once.
    await timekeeper.stop()
    watched.abort()
  }
  await watching
  for await (const record of ledger.audit.records({ after: seen ?? begin })) await display.take(record)
  await display.say(await endText(ledger, display, session), display.report.counts)
}

function startText({ handlers, publishers }: WorkPlan, { name }: Service): string {
  const handled = Object.keys(handlers)
  const published = Object.keys(publishers)
  const does = [
    ...(handled.length === 0 ? [] : [`works on ${handled.join(', ')}`]),
    ...(published.length === 0 ? [] : [`publishes to ${published.join(', ')}`]),
    'keeps time',
  ]
  return `${name} ${does.join(', ').replace(/, (?=[^,]*$)/, ' and ')}. Ctrl-C stops it.`
}

function stoppingText({ report }: WorkerDisplay): string {
  const { running } = report
  if (running === 0) return 'Stopping.'
  return `Stopping: ${running} still running. What does not finish soon is given back; Ctrl-C ends it at once.`
}

async function endText(ledger: LiveLedger, { report }: WorkerDisplay, { clock }: Session): Promise<string> {
  const due = await ledger.nextDue()
  if (due === null) return `${capital(report.text)}.`
  const ms = Math.max(0, due - clock.now())
  return `${capital(report.text)}. Something is due at ${toIso(due)}, in ${durationText(Math.ceil(ms / 1000))}.`
}

function capital(text: string): string {
  return text.replace(/^./, (letter) => letter.toUpperCase())
}
