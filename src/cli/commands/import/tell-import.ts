import type { FateCounts, Finding, ImportReport } from '../../../ledger/import/import-report.ts'
import { safeText } from '../../output/safe-text.ts'
import { type Column, NEEDED, Table } from '../../output/table.ts'
import { countOf, countText } from '../../output/words.ts'
import type { Session } from '../../session.ts'

interface StateRow extends FateCounts {
  readonly queue: string
  readonly state: string
}

const number = (title: string, value: (row: StateRow) => number): Column<StateRow> => ({
  title,
  value: (row) => value(row) || null,
  align: 'right',
  worth: NEEDED,
  least: title.length,
})

const COLUMNS: readonly Column<StateRow>[] = [
  { title: 'QUEUE', value: ({ queue }) => queue, worth: NEEDED, least: 8 },
  { title: 'STATE', value: ({ state }) => state, worth: NEEDED, least: 9 },
  number('FOUND', ({ found }) => found),
  number('TAKEN', ({ taken }) => taken),
  number('BEFORE', ({ known }) => known),
  number('LEFT', ({ left }) => left),
  number('REFUSED', ({ refused }) => refused),
]

export async function tellImport(session: Session, report: ImportReport, title: string): Promise<void> {
  const { out, notes } = session
  const verb = report.dry_run ? 'Would take over' : 'Took over'
  const what = `${countText(report.taken)} of ${countOf(report.found, 'record')}`
  const from = `${title} (${report.version}) at ${report.where}`
  await out.line(`${verb} ${what} of ${safeText(from)} into ${safeText(session.shownLedger)}`)
  const rows = Object.entries(report.queues).flatMap(([queue, states]) =>
    Object.entries(states).map(([state, counts]) => ({ queue, state, ...counts })),
  )
  if (rows.length > 0) await new Table(out, COLUMNS).write(rows)
  await tellFindings(session, report.dry_run ? 'Would be left' : 'Left', report.left_because)
  await tellFindings(session, report.dry_run ? 'Would be refused' : 'Refused', report.refused_because)
  await tellFindings(session, 'With a difference', report.differences)
  await tellExamples(session, report)
  for (const note of report.notes) await notes.hint(note)
  if (report.report !== null)
    await notes.hint(`Every record is in ${report.report}.`, { report: report.report })
  await tellNext(session, report)
}

async function tellFindings({ out }: Session, title: string, findings: readonly Finding[]): Promise<void> {
  if (findings.length > 0) await out.line(`${out.paint('yellow', title)}:`)
  for (const { what, count, examples } of findings) {
    const more = count > examples.length ? ', …' : ''
    await out.line(
      `  ${countText(count)}  ${safeText(what)}  ${out.paint('dim', safeText(examples.join(', ') + more))}`,
    )
  }
}

async function tellExamples({ out }: Session, { examples }: ImportReport): Promise<void> {
  if (examples.length > 0) await out.line(`${out.paint('dim', 'First ones')}:`)
  for (const { queue, name, state, became, request_type } of examples) {
    const kind = queue === name ? queue : `${queue} ${name}`
    await out.line(
      `  ${safeText(kind)}, ${state} → ${safeText(request_type)} ${out.paint('dim', safeText(became))}`,
    )
  }
}

async function tellNext({ notes }: Session, report: ImportReport): Promise<void> {
  if (report.dry_run) return notes.hint('Nothing was written: this was a dry run.')
  const hasSchedules = Object.values(report.queues).some(({ schedule }) => (schedule?.taken ?? 0) > 0)
  if (report.protocols !== null) {
    return notes.hint(`Workers need it for schedules: waybill worker MODULE --protocols ${report.protocols}`)
  }
  if (!hasSchedules) return
  await notes.hint(
    'Schedules submit requests that workers have to know: run this again with --write-protocols waybill.protocols.json.',
  )
}
