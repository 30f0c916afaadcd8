import { resolve } from 'node:path'
import type { DocumentState } from '../../core/machines/document.ts'
import { FileNotFound } from '../../errors/file-errors.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import type { Progress } from '../../store/progress.ts'
import type { Store } from '../../store/store.ts'
import { Upkeep } from '../../store/upkeep.ts'
import type { DiskReader } from '../../world/disk.ts'
import { NewFile } from '../../world/new-file.ts'
import type { World } from '../../world/world.ts'
import type { Committer } from '../committer.ts'
import { backupPath, hasBackup, makeBackup } from './backup.ts'
import { Findings, FindingsReport } from './findings.ts'
import { LedgerTarget } from './ledger-target.ts'
import { lineBlocks } from './line-blocks.ts'
import { type MigrationReport, reportText } from './migration-report.ts'
import { MigrationRun } from './migration-run.ts'
import { LinePreparer } from './prepare-lines.ts'
import { RejectsFile } from './rejects-file.ts'
import { TableTarget } from './table-target.ts'
import type { Target } from './target.ts'
import { writeEntries } from './write-entries.ts'

/** A snapshot is made whenever so much of the log was taken over: a quarter of a million lines or so. */
const SNAPSHOT_EVERY_BYTES = 32 * 1024 * 1024

export interface MigrationProgress extends Progress {
  /** Lines read so far. */
  readonly lines: number
}

export interface MigrateOptions {
  /** Writes nothing but the report. */
  readonly dryRun?: boolean | undefined
  /** Where every finding is listed: as text, or as JSON when the name ends with `.json`. */
  readonly report?: string | undefined
  readonly tenant_id?: string | undefined
  readonly onProgress?: ((progress: MigrationProgress) => void) | undefined
  /** Ends it between two batches; what was taken over stays, and the next run goes on from there. */
  readonly signal?: AbortSignal | undefined
}

/** What is to be done, and with what. */
export interface Migration extends MigrateOptions {
  readonly world: World
  readonly input: string
  readonly tenant_id: string
  readonly redact: (text: string) => string
  readonly into:
    | { readonly what: 'ledger'; readonly committer: Committer }
    | { readonly what: 'file'; readonly output: string }
    /** Nowhere: a dry run, on top of a ledger that is there already or of nothing. */
    | { readonly what: 'nothing'; readonly output: string | null; readonly store: Store | null }
}

/** Takes an old log over: into a ledger, or into another file. */
export async function migrate(migration: Migration): Promise<MigrationReport> {
  checkPaths(migration)
  const { world, input } = migration
  const reader = await world.disk.openToRead(input)
  if (reader === null) throw new FileNotFound(input, 'Give the path of the old log.')
  try {
    const report =
      migration.report === undefined ? null : await FindingsReport.create(world.disk, migration.report)
    const work = new Work(migration, reader, report)
    try {
      return await work.run()
    } catch (error) {
      await work.discard()
      throw error
    }
  } finally {
    await reader.close()
  }
}

function checkPaths({ input, report, into }: Migration): void {
  const written = into.what === 'ledger' ? null : into.output
  for (const path of [input, written, backupPath(input), `${input}.rejects`]) {
    if (report === undefined || path === null || resolve(path) !== resolve(report)) continue
    throw new InvalidInput('report', `the report would replace ${path}`, 'Give it a name of its own.')
  }
  const ours = [backupPath(input), `${input}.rejects`].map((path) => resolve(path))
  if (written !== null && ours.includes(resolve(written))) {
    throw new InvalidInput('output', `the output would replace ${written}`, 'Give it a name of its own.')
  }
}

/** One migration, and the files that it is writing. */
class Work {
  readonly #migration: Migration
  readonly #reader: DiskReader
  readonly #report: FindingsReport | null
  readonly #rejects: RejectsFile | null
  #output: NewFile | null = null

  constructor(migration: Migration, reader: DiskReader, report: FindingsReport | null) {
    const { world, input, into } = migration
    this.#migration = migration
    this.#reader = reader
    this.#report = report
    this.#rejects = into.what === 'nothing' ? null : new RejectsFile(world.disk, input)
  }

  async run(): Promise<MigrationReport> {
    const { input, world, into } = this.#migration
    const size = await this.#reader.size()
    const before = await this.#counts()
    const isSettled = this.#isInPlace && !(await this.#hasWork(size))
    const target = isSettled ? this.#table(null) : await this.#target()
    const findings = new Findings(input, this.#report)
    const run = new MigrationRun({ input, target, findings, rejects: this.#rejects })
    await this.#stream(run, size)
    const rejects = isSettled ? null : ((await this.#rejects?.finish()) ?? null)
    await this.#output?.finish()
    const compacted = into.what === 'ledger' && importedBy(run) > 0 && (await this.#compact(into.committer))
    const report: MigrationReport = {
      input,
      output: into.what === 'ledger' ? null : into.output,
      dry_run: into.what === 'nothing',
      ...run.counts,
      documents: run.documents,
      by_state: withoutZeros(run.moves),
      findings: findings.kinds(),
      backup: (await hasBackup(world.disk, input)) ? backupPath(input) : null,
      rejects,
      report: this.#migration.report ?? null,
      compacted,
      agrees: linesAgree(run) && countsAgree(before, run.moves, await this.#counts()),
    }
    await this.#report?.finish(report, () => reportText(report))
    return report
  }

  async discard(): Promise<void> {
    const files = [this.#report, this.#rejects, this.#output]
    await Promise.allSettled(files.map((file) => file?.discard()))
  }

  /** The next block is read and understood while the one before it is being written. */
  async #stream(run: MigrationRun, size: number): Promise<void> {
    const { signal, onProgress, redact } = this.#migration
    const preparer = new LinePreparer(redact)
    let writing: Promise<void> = Promise.resolve()
    const { into } = this.#migration
    const upkeep = into.what === 'ledger' ? new Upkeep(into.committer.store, SNAPSHOT_EVERY_BYTES) : null
    let before = { at: 0, imported: 0 }
    for await (const block of lineBlocks(this.#reader, size)) {
      const prepared = preparer.prepare(block)
      // One after the other: a batch builds on the one before it.
      await writing
      const now = { at: block.at, imported: importedBy(run) }
      // What was taken over already writes nothing.
      if (now.imported > before.imported) await upkeep?.written(now.at - before.at)
      before = now
      signal?.throwIfAborted()
      onProgress?.({ what: 'bytes', done: block.at, total: size, lines: run.counts.lines })
      writing = run.take(prepared).then(() => this.#report?.flush())
      // Whoever waits for it is told; until then nobody is.
      writing.catch(() => {})
    }
    await writing
    await upkeep?.settled()
    run.finish()
    onProgress?.({ what: 'bytes', done: size, total: size, lines: run.counts.lines })
  }

  async #target(): Promise<Target> {
    const { world, input, into, tenant_id } = this.#migration
    if (into.what === 'nothing') return this.#table(into.store)
    await makeBackup(world.disk, input)
    if (into.what === 'ledger') return new LedgerTarget(into.committer, { tenant_id, input })
    const output = await NewFile.create(world.disk, into.output)
    this.#output = output
    return this.#table(null, output)
  }

  #table(store: Store | null, output: NewFile | null = null): TableTarget {
    const { world, input, tenant_id } = this.#migration
    return new TableTarget({
      tenant_id,
      input,
      clock: world.clock,
      store,
      onEntries: async (batch, entries) => {
        if (output !== null) await writeEntries(output, batch, entries)
      },
    })
  }

  get #isInPlace(): boolean {
    const { input, into } = this.#migration
    return into.what === 'file' && resolve(into.output) === resolve(input)
  }

  /** Whether there is a line that would not stay as it is. */
  async #hasWork(size: number): Promise<boolean> {
    const preparer = new LinePreparer()
    for await (const block of lineBlocks(this.#reader, size)) {
      this.#migration.signal?.throwIfAborted()
      const { lines } = preparer.prepare(block)
      if (
        lines.some((line) => line.is !== 'blank' && !(line.is === 'transition' && line.form === 'record'))
      ) {
        return true
      }
    }
    return false
  }

  async #compact({ store }: Committer): Promise<boolean> {
    const { onProgress } = this.#migration
    const { compacted } = await store.maintain({
      onProgress: (progress) => onProgress?.({ ...progress, lines: 0 }),
    })
    return compacted
  }

  async #counts(): Promise<{ readonly [state: string]: number } | null> {
    const { into, tenant_id } = this.#migration
    return into.what === 'ledger' ? into.committer.store.counts('document', tenant_id) : null
  }
}

function importedBy({ counts }: MigrationRun): number {
  return counts.migrated + counts.already_migrated
}

function linesAgree({ counts, moves, documents }: MigrationRun): boolean {
  const { lines, blank, migrated, already_migrated, already_imported, rejected } = counts
  const total = Object.values(moves).reduce((sum, by) => sum + by, 0)
  return lines === blank + migrated + already_migrated + already_imported + rejected && total === documents
}

type Counts = { readonly [state: string]: number }

function countsAgree(before: Counts | null, moves: Counts, after: Counts | null): boolean {
  if (before === null || after === null) return true
  const states = new Set([...Object.keys(before), ...Object.keys(moves), ...Object.keys(after)])
  return [...states].every((state) => (before[state] ?? 0) + (moves[state] ?? 0) === (after[state] ?? 0))
}

function withoutZeros(moves: { readonly [state in DocumentState]?: number }) {
  return Object.fromEntries(Object.entries(moves).filter(([, by]) => by !== 0))
}
