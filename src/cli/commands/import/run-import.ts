import { FileNotFound, NotALedger } from '../../../errors/file-errors.ts'
import type { ImportReport } from '../../../ledger/import/import-report.ts'
import type { WhatState } from '../../../ledger/import/import-run.ts'
import type { Source, WantsQueue } from '../../../ledger/import/old-record.ts'
import { DEFAULT_SETTINGS } from '../../../ledger/settings.ts'
import type { LiveLedger } from '../../../runtime/live-ledger.ts'
import type { OnProgress } from '../../../store/progress.ts'
import type { World } from '../../../world/world.ts'
import { protocolsFile } from '../../options/protocols.ts'
import type { GlobalOptions, Session } from '../../session.ts'
import { DEFAULT_STATES, type ImportOptions } from './import-options.ts'
import { tellImport } from './tell-import.ts'

/** What there is was accepted before, by somebody else: how many open jobs a tenant may have is for new requests. */
const NO_LIMIT = 100_000_000

const TEN_MINUTES_MS = 600_000

const REFUSED = 1

/** What a source has to know. */
export interface Opening {
  readonly wants: WantsQueue
  readonly states: ReadonlySet<WhatState>
  readonly as: string | undefined
  readonly world: World
  readonly now: () => number
}

type Options = ImportOptions & GlobalOptions

/** Opens the source first: without it no ledger is made. */
export async function runImport(
  session: Session,
  options: Options,
  open: (opening: Opening) => Promise<Source>,
): Promise<void> {
  const { QueueChoice } = await import('../../../ledger/import/queue-choice.ts')
  const { realWorld: world } = await import('../../../world/world.ts')
  const choice = new QueueChoice(options.queue)
  const states = options.states ?? DEFAULT_STATES
  const now = () => world.clock.now()
  await using source = await open({ wants: choice.wants, states, as: options.as, world, now })
  const isDry = options.dryRun === true
  await using places = await (isDry ? forDryRun(session) : inEarnest(session))
  const report = await session.withProgress((onProgress) =>
    importFrom(
      { source, states, world, queueOf: (queue) => choice.nameOf(queue), ...places, onProgress },
      options,
    ),
  )
  if (report.refused > 0) session.found(REFUSED)
  if (session.isJson) return session.json(report)
  await tellImport(session, report, source.title)
}

interface Places extends AsyncDisposable {
  readonly into: LiveLedger
  readonly before: LiveLedger | null
}

interface With extends Pick<Places, 'into' | 'before'> {
  readonly source: Source
  readonly states: ReadonlySet<WhatState>
  readonly world: World
  readonly queueOf: (queue: string) => string
  readonly onProgress: OnProgress
}

async function importFrom(given: With, options: Options): Promise<ImportReport> {
  const { importJobs } = await import('../../../ledger/import/import-jobs.ts')
  const { protocolsOf } = await import('../../../ledger/protocol-file.ts')
  const { source, world, queueOf, ...rest } = given
  return importJobs({
    ...rest,
    source,
    world,
    isDry: options.dryRun === true,
    tenant_id: options.tenant ?? DEFAULT_SETTINGS.tenant_id,
    active: options.active ?? 'refuse',
    waitMs: options.wait ?? TEN_MINUTES_MS,
    naming: { system: source.system, request_type: options.requestType ?? '{queue}', queueOf },
    protocols: await protocolsOf(await protocolsFile(options), world.disk),
    reportFile: options.report,
    protocolsFile: options.writeProtocols,
  })
}

async function inEarnest(session: Session): Promise<Places> {
  const into = await session.openToWrite({
    create: true,
    inFlightLimit: NO_LIMIT,
    instead: 'End the server, take the jobs over, and start it again.',
  })
  // The session closes what it opened.
  return { into, before: into, [Symbol.asyncDispose]: async () => {} }
}

/** The ledger is only looked at, if there is one; what it would refuse another one says, which is gone afterwards. */
async function forDryRun(session: Session): Promise<Places> {
  const { openLedger } = await import('../../../open-ledger.ts')
  const before = await ledgerIfAny(session)
  const into = await openLedger('memory:')
  return { into, before, [Symbol.asyncDispose]: () => into.close() }
}

async function ledgerIfAny(session: Session): Promise<LiveLedger | null> {
  try {
    return await session.openToRead()
  } catch (error) {
    if (error instanceof NotALedger || error instanceof FileNotFound) return null
    throw error
  }
}
