import { FileNotFound, NotALedger } from './errors/file-errors.ts'
import { InvalidInput } from './errors/input-errors.ts'
import type { Ledger } from './ledger/ledger.ts'
import { type RollbackReport, rollback } from './ledger/legacy/backup.ts'
import { type MigrateOptions, type MigrationProgress, migrate } from './ledger/legacy/migrate.ts'
import type { MigrationReport } from './ledger/legacy/migration-report.ts'
import { type LegacyProblem, type ValidateOptions, validate } from './ledger/legacy/validate.ts'
import { DEFAULT_SETTINGS } from './ledger/settings.ts'
import { type LedgerOptions, openLedger } from './open-ledger.ts'
import type { JournalOptions } from './store/journal/journal-options.ts'
import { realWorld, type World } from './world/world.ts'

export type {
  LegacyProblem,
  MigrateOptions,
  MigrationProgress,
  MigrationReport,
  RollbackReport,
  ValidateOptions,
}

export interface MigrateLegacyOptions extends MigrateOptions, Pick<LedgerOptions, 'journal' | 'redact'> {
  /** The ledger that takes the log over: a folder, which is made when there is none. */
  readonly ledger?: string | undefined
  /** Instead of a ledger: a file for the audit records, one per line. It may be the log itself. */
  readonly output?: string | undefined
  readonly world?: Partial<World> | undefined
}

/**
 * Takes over an old log: a file of JSON lines with `doc_id`, `state`, `timestamp` and `metadata`. The log itself is copied
 * to `<log>.backup` first, lines that tell of nothing go to `<log>.rejects`, and everything worth knowing is in the
 * report. To call it again does nothing, or goes on where it was cut off, or takes over what was added since.
 */
export async function migrateLegacy(
  input: string,
  options: MigrateLegacyOptions = {},
): Promise<MigrationReport> {
  const { ledger, output, dryRun = false } = options
  if (ledger !== undefined && output !== undefined) {
    const next = 'Give a ledger to take it over, or an output to write another file.'
    throw new InvalidInput('output', 'a log goes into a ledger or into a file, not both', next)
  }
  if (ledger !== undefined) return intoLedger(input, ledger, options)
  if (output === undefined && !dryRun) {
    throw new InvalidInput('ledger', 'there is nowhere to put it', 'Give a ledger, an output, or dryRun.')
  }
  return migrate({
    ...options,
    input,
    world: { ...realWorld, ...options.world },
    tenant_id: options.tenant_id ?? DEFAULT_SETTINGS.tenant_id,
    redact: options.redact ?? DEFAULT_SETTINGS.redact,
    into:
      dryRun || output === undefined
        ? { what: 'nothing', output: output ?? null, store: null }
        : { what: 'file', output },
  })
}

/** How a ledger is kept meanwhile: it does not make snapshots by itself, they are made here. */
const WHILE_MIGRATING: JournalOptions = { snapshotAfterBytes: Number.MAX_SAFE_INTEGER }

async function intoLedger(
  input: string,
  url: string,
  options: MigrateLegacyOptions,
): Promise<MigrationReport> {
  const { world, redact, journal, dryRun } = options
  const open = (more: LedgerOptions['journal']): Promise<Ledger> =>
    openLedger(url, {
      world,
      ...(redact === undefined ? null : { redact }),
      journal: url === 'memory:' ? undefined : { ...more, ...journal },
    })
  if (dryRun !== true) {
    await using ledger = await open(WHILE_MIGRATING)
    return await ledger.migrate(input, options)
  }
  try {
    await using ledger = await open({ readOnly: true })
    return await ledger.migrate(input, options)
  } catch (error) {
    const isMissing =
      error instanceof NotALedger || (error instanceof FileNotFound && error.details.path === url)
    if (!isMissing) throw error
    // There is no ledger yet, and a dry run makes none.
    return migrateLegacy(input, { ...options, ledger: undefined })
  }
}

/** What is wrong with a migrated log, line by line. */
export function validateLegacy(
  file: string,
  { world, ...options }: ValidateOptions & { readonly world?: Partial<World> } = {},
): AsyncIterable<LegacyProblem> {
  return validate({ ...realWorld, ...world }, file, options)
}

/** Puts a log back as it was before its first migration; what is there now is kept as `<log>.migrated`. */
export function rollbackLegacy(
  file: string,
  { world }: { readonly world?: Partial<World> } = {},
): Promise<RollbackReport> {
  return rollback({ ...realWorld, ...world }.disk, file)
}
