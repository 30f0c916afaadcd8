import { Argument, Option } from 'commander'
import { durationMs } from '../../../core/duration.ts'
import { SECOND_MS } from '../../../core/time.ts'
import type { LiveLedger } from '../../../runtime/live-ledger.ts'
import type { HttpServer } from '../../../server/serve.ts'
import type { Logger } from '../../../world/logger.ts'
import { systemTimers } from '../../../world/timers.ts'
import { defineCommand } from '../../define-command.ts'
import { type AdapterOptions, adaptersOf, adaptersOption } from '../../options/adapters.ts'
import { type GraceOptions, graceOption } from '../../options/grace.ts'
import { type InFlightOptions, inFlightOption } from '../../options/in-flight-limit.ts'
import { type ProtocolOptions, protocolsFile, protocolsOption } from '../../options/protocols.ts'
import { workOptions } from '../../options/work.ts'
import type { GlobalOptions, Session } from '../../session.ts'
import { loadWorkerModule } from '../worker/load-module.ts'
import { startServices } from '../worker/start-services.ts'
import { type PlanOptions, planOf, type WorkPlan, withTools } from '../worker/work-plan.ts'
import { callbackSecrets } from './callback-secrets.ts'
import { type AddressOptions, addressOptions, callbackUrl, listenError } from './serve-address.ts'
import { LOG_LEVELS, type LogLevel, serverLog } from './server-log.ts'
import { tellServer } from './tell-server.ts'
import { logWork } from './work-log.ts'

interface Options
  extends AddressOptions,
    ProtocolOptions,
    InFlightOptions,
    AdapterOptions,
    GraceOptions,
    PlanOptions {
  readonly auth: boolean
  readonly admin: boolean
  readonly link: boolean
  readonly callbackSecretFile?: string
  readonly logLevel: LogLevel
  readonly concurrency?: number
  readonly name?: string
}

const GRACE = '30s'
/** Of the grace, for what comes when all have ended: giving back, closing the ledger. */
const LAST_MS = 5 * SECOND_MS
/** What is still being answered may take so long. */
const ANSWER_MS = 10 * SECOND_MS

export const serve = defineCommand<Options>({
  name: 'serve',
  summary: 'serve the ledger over HTTP: its API, live events and the page',
  about:
    'Serves the ledger over HTTP: the API for programs in any language, workers among them, live events, metrics, and a ' +
    'page for people. It listens on this machine only, unless --host says otherwise, and whoever comes in shows a token ' +
    '(see waybill tokens create) or opens a link that is good once: one is printed, more come from waybill tokens link. ' +
    'Meanwhile time passes: leases end, what is due is done, schedules submit their jobs. With a module, as waybill worker ' +
    'takes it, it does the work as well: a ledger in a folder is open in one process at a time. Other commands that change ' +
    'such a ledger go through the server by themselves. What it has to say goes to the error stream: lines of JSON, or ' +
    'plain ones on a terminal. Ctrl-C stops it in good order: it takes nothing more, what is under way may finish for a ' +
    'while, and what does not is given back; a second Ctrl-C ends it at once.',
  arguments: [new Argument('[module]', 'do its work as well: a module as for waybill worker')],
  options: [
    ...addressOptions(),
    new Option('--no-auth', 'let everybody in who is on this machine, without a token'),
    new Option('--no-admin', 'leave out what is under /v1/admin: tokens, tool jobs, compaction'),
    new Option('--no-link', 'print no link, where the output is kept and others read it'),
    new Option(
      '--callback-secret-file <file>',
      'what services sign callbacks with, a line each; the variable WAYBILL_CALLBACK_SECRET has one as well',
    ),
    new Option('--log-level <level>', 'what is worth saying').choices(LOG_LEVELS).default('info'),
    ...workOptions(),
    new Option('--name <name>', 'who its worker is in the history and as the holder of leases'),
    graceOption(`how long it may take to end when it is stopped; ${GRACE} unless told`),
    adaptersOption(),
    protocolsOption(),
    inFlightOption(),
  ],
  writes: true,
  examples: [
    ['serve', 'on this machine; the page opens by the link that it prints'],
    ['serve worker.ts', 'and do the work as well, in one process'],
    ['serve --tools', 'and run the tool jobs that are queued'],
    [
      'serve --host 0.0.0.0 --public-url https://waybill.example.com',
      'for others, behind a proxy that speaks HTTPS',
    ],
    ['serve --port 0 --json > server.json', 'at a port that is free; the file says which, for a program'],
  ],
  exits: [
    [0, 'it was stopped'],
    [2, 'it cannot listen there, or the module makes no sense'],
    [3, 'there is no such ledger, module or file'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, options, [given]) {
    const plan = await planFor(given as string | undefined, options)
    const logger = await serverLog(session, options.logLevel)
    const secrets = await callbackSecrets(options.callbackSecretFile)
    const { Registry, collectDefaultMetrics } = await import('prom-client')
    const metrics = new Registry()
    const ledger = await session.openToWrite({
      protocols: await protocolsFile(options),
      inFlightLimit: options.inFlightLimit,
      callbackUrl: callbackUrl(options),
      metrics,
      logger,
      instead: 'There is a server already. A link to its page: waybill tokens link',
    })
    collectDefaultMetrics({ register: metrics })
    ledger.jobs.register(...(plan?.protocols ?? []))
    const { serve: begin } = await import('../../../server/serve.ts')
    const server = await begin(ledger, {
      port: options.port,
      host: options.host,
      publicUrl: options.publicUrl,
      auth: options.auth,
      admin: options.admin,
      allowHosts: options.allowHost,
      callbackSecrets: secrets,
      closeMs: Math.min(ANSWER_MS, graceMs(options)),
      adapters: plan?.adapters,
      metrics,
    }).catch((error: unknown) => {
      throw listenError(error, options)
    })
    const hold = systemTimers.hold()
    try {
      await untilStopped({ session, ledger, server, plan, logger }, options)
    } finally {
      hold.cancel()
      await server.close()
    }
  },
})

/** What it is to do beside serving; null for nothing. */
async function planFor(given: string | undefined, options: Options): Promise<WorkPlan | null> {
  const { queue, tools, topology } = options
  const isToWork = given !== undefined || queue !== undefined || topology !== undefined
  if (!isToWork && (tools === undefined || tools === false)) return null
  const module = given === undefined ? null : await loadWorkerModule(given)
  return planOf(module, await adaptersOf(options), options)
}

interface Running {
  readonly session: Session
  readonly ledger: LiveLedger
  readonly server: HttpServer
  readonly plan: WorkPlan | null
  readonly logger: Logger
}

async function untilStopped(
  { session, ledger, server, plan, logger }: Running,
  options: Options & GlobalOptions,
): Promise<void> {
  const { ending } = session
  session.endWithinMs = Math.max(LAST_MS, durationMs(options.grace ?? GRACE) as number)
  const stopped = new Promise<void>((resolve) => {
    ending.addEventListener('abort', () => resolve(), { once: true })
    if (ending.aborted) resolve()
  })
  const watched = new AbortController()
  const full = plan === null ? null : await withTools(session, ledger, plan)
  const watching = full === null ? Promise.resolve() : logWork(ledger, logger, watched.signal)
  const { name, concurrency } = options
  const services =
    full === null ? [] : startServices(ledger, full, { name, concurrency, grace: graceMs(options) })
  const timekeeper = ledger.keepTime()
  try {
    await tellServer(session, { server, plan: full, logger, auth: options.auth, link: options.link })
    await Promise.race([stopped, watching.then(() => stopped)])
    logger.info({}, 'Stopping')
  } finally {
    // Those who wait for work are let go; what runs here may finish meanwhile.
    await Promise.all([server.close(), ...services.map((service) => service.stop())])
    // Last: what the others wrote may be due at once.
    await timekeeper.stop()
    watched.abort()
  }
  await watching
  logger.info({}, 'Stopped')
}

/** What work and answers have of the grace. */
function graceMs({ grace = GRACE }: Options): number {
  return Math.max(0, (durationMs(grace) as number) - LAST_MS)
}
