import { ImportActiveJobs } from '../../errors/import-errors.ts'
import { heldPause } from '../../world/pause.ts'
import type { World } from '../../world/world.ts'
import type { ImportReport } from './import-report.ts'
import { type ImportPlan, ImportRun } from './import-run.ts'
import type { Source } from './old-record.ts'
import { addProtocols } from './protocols-file.ts'
import { ReportFile } from './report-file.ts'

export interface Import extends Omit<ImportPlan, 'report' | 'now'> {
  readonly world: World
  /** Where every record is listed: as Markdown, or as JSON when the name ends with `.json`. */
  readonly reportFile: string | undefined
  /** Where protocols are put for workers to know them. */
  readonly protocolsFile: string | undefined
  /** How long to wait at most for others to finish what they work on. */
  readonly waitMs: number
}

/** How often it is looked whether somebody still works on something. */
const LOOK_EVERY_MS = 500

/** Takes over what another system has. To call it again takes over what is new since, and nothing twice. */
export async function importJobs(what: Import): Promise<ImportReport> {
  const { source, world, isDry, active, waitMs } = what
  if (!isDry && active !== 'take' && active !== 'leave') {
    await noneActive(source, world, active === 'wait' ? waitMs : null)
  }
  const file = what.reportFile === undefined ? null : await ReportFile.create(world.disk, what.reportFile)
  try {
    const run = new ImportRun({ ...what, report: file, now: () => world.clock.now() })
    await run.run()
    const isWritten = what.protocolsFile !== undefined && !isDry
    if (isWritten) await addProtocols(world.disk, what.protocolsFile, [...run.protocols.values()])
    const report: ImportReport = {
      from: source.system,
      version: source.version,
      where: source.where,
      dry_run: isDry,
      tenant_id: what.tenant_id,
      ...run.tally.summary(),
      notes: source.notes(),
      report: what.reportFile ?? null,
      protocols: isWritten ? what.protocolsFile : null,
    }
    await file?.finish(report)
    return report
  } catch (error) {
    await file?.discard()
    throw error
  }
}

/** Until nobody works on anything, or for so long; null for not at all. */
async function noneActive(source: Source, { clock, timers }: World, waitMs: number | null): Promise<void> {
  const since = clock.now()
  for (;;) {
    const active = await source.active()
    if (active === 0) return
    if (waitMs === null || clock.now() - since >= waitMs)
      throw new ImportActiveJobs(source.title, active, waitMs)
    await heldPause(timers, LOOK_EVERY_MS)
  }
}
