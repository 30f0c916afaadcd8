import { Argument, Option } from 'commander'
import { LEGACY_FINDINGS, type LegacyFindingKind } from '../../../core/document/legacy-line.ts'
import { FileNotFound } from '../../../errors/file-errors.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import type { FoundKind } from '../../../ledger/legacy/findings.ts'
import type { MigrationReport } from '../../../ledger/legacy/migration-report.ts'
import { LEGACY_LOG } from '../../../store/journal/must-be-there.ts'
import { isFolder } from '../../../store/open-store.ts'
import type { OnProgress } from '../../../store/progress.ts'
import { isThere } from '../../../world/is-there.ts'
import { defineCommand } from '../../define-command.ts'
import { type Field, fieldLines } from '../../output/fields.ts'
import { safeText } from '../../output/safe-text.ts'
import { countOf, countText } from '../../output/words.ts'
import type { Session } from '../../session.ts'

interface Options {
  readonly output?: string
  readonly dryRun?: boolean
  readonly report?: string
}

const FAILED = 1

/** Of each kind of finding, so many are shown; the report has all of them. */
const EXAMPLES_SHOWN = 3

export const ledgerMigrate = defineCommand<Options>({
  name: 'migrate',
  summary: 'take over an old log, or write it anew as audit records',
  about:
    'Takes over an old log: JSON lines with doc_id, state, timestamp and metadata. Without --output it goes into the ' +
    'ledger, which is made when there is none, and a snapshot is made at the end; with --output it is written to a file ' +
    'of audit records, which may be the log itself. Nothing is lost: the log is copied to <log>.backup first (it may go ' +
    'after 30 days), lines that tell of nothing are kept in <log>.rejects, states that nobody maps become legacy, and ' +
    'transitions that the machine does not declare are kept and reported. To run it again does nothing; after it was cut ' +
    'off, or when the log has grown, it goes on where it was.',
  arguments: [new Argument('[log]', `the old log (default: ${LEGACY_LOG} in the folder of the ledger)`)],
  options: [
    new Option('--output <file>', 'write audit records to this file, and leave the ledger alone'),
    new Option('--dry-run', 'write nothing but the report'),
    new Option('--report <file>', 'write every finding to this file; as JSON when it ends with .json'),
  ],
  examples: [
    ['ledger migrate old/ledger.jsonl --dry-run --report report.txt', 'first: what would happen?'],
    ['ledger migrate old/ledger.jsonl', 'then: take it over'],
    ['ledger migrate ledger.jsonl --output ledger-new.jsonl', 'or write it anew'],
    ['ledger migrate --json | jq .by_state', 'what has become of it, for a program'],
  ],
  exits: [
    [0, 'the log was taken over, whatever was found in it'],
    [1, 'the counts before and after do not agree'],
    [3, 'there is no such log'],
    [4, 'the log was taken over before, and what was taken over has changed since'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, options, [log]) {
    const input = (log as string | undefined) ?? logIn(options.ledger)
    await mustBeThere(input)
    const report = await session.withProgress((onProgress) => migrate(session, input, options, onProgress))
    if (!report.agrees) session.found(FAILED)
    if (session.isJson) return session.json(report)
    await tell(session, report)
  },
})

function logIn(ledger: string): string {
  if (isFolder(ledger)) return `${ledger}/${LEGACY_LOG}`
  throw new InvalidInput(
    'log',
    'It is not said which log: a database holds none',
    'Give the path of the old log.',
  )
}

/** Before a ledger is made for it. */
async function mustBeThere(input: string): Promise<void> {
  const { disk } = (await import('../../../world/world.ts')).realWorld
  if (!(await isThere(disk, input))) throw new FileNotFound(input, 'Give the path of the old log.')
}

async function migrate(
  session: Session,
  input: string,
  { output, dryRun, report, ledger, tenant }: Options & Session['options'],
  onProgress: OnProgress,
): Promise<MigrationReport> {
  const common = { report, onProgress, tenant_id: tenant }
  if (output === undefined && dryRun !== true) {
    const into = await session.openToWrite({ create: true })
    return into.migrate(input, common)
  }
  const { migrateLegacy } = await session.library()
  const into = output === undefined ? { ledger } : { output }
  return migrateLegacy(input, { ...common, ...into, dryRun })
}

async function tell(session: Session, report: MigrationReport): Promise<void> {
  const { out, notes } = session
  const where = report.output ?? session.shownLedger
  const verb = report.dry_run ? 'Would take over' : 'Took over'
  await out.line(`${verb} ${safeText(report.input)} into ${safeText(where)}`)
  const states = Object.entries(report.by_state).map(
    ([state, by]): Field => [`  ${state}`, (by > 0 ? '+' : '') + countText(by)],
  )
  await out.write(
    fieldLines(out, [
      ['lines', countText(report.lines)],
      ['  migrated', countText(report.migrated)],
      ['  audit records before', countText(report.already_migrated)],
      ['  taken over before', countText(report.already_imported)],
      ['  rejected', countText(report.rejected), report.rejects ?? undefined],
      ['  blank', countText(report.blank)],
      ['new documents', countText(report.documents)],
      ...states,
    ]),
  )
  await tellFindings(session, report)
  if (!report.agrees) await notes.warn('The counts before and after do not agree: has somebody else written?')
  if (report.dry_run) return notes.hint('Nothing was written: this was a dry run.')
  if (report.backup !== null) {
    await notes.hint(`The log as it was is in ${report.backup}; it may go after 30 days.`, {
      backup: report.backup,
    })
  }
}

async function tellFindings({ out }: Session, { findings, report }: MigrationReport): Promise<void> {
  const kinds = Object.entries(findings) as [LegacyFindingKind, FoundKind][]
  for (const [kind, { count, examples }] of kinds) {
    await out.line(`${out.paint('yellow', LEGACY_FINDINGS[kind])}: ${countText(count)}`)
    for (const example of examples.slice(0, EXAMPLES_SHOWN)) await out.line(`  ${safeText(example)}`)
    const more = count - Math.min(count, EXAMPLES_SHOWN)
    const all = report === null ? '--report lists all' : `all are in ${safeText(report)}`
    if (more > 0) await out.line(out.paint('dim', `  and ${countOf(more, 'other')}: ${all}`))
  }
}
