import { Argument, Option } from 'commander'
import { shownUrl } from '../../../errors/shown-url.ts'
import { defineCommand } from '../../define-command.ts'
import { safeText } from '../../output/safe-text.ts'
import { countOf } from '../../output/words.ts'

interface Options {
  readonly outputs?: string
}

export const ledgerCopy = defineCommand<Options>({
  name: 'copy',
  summary: 'copy a ledger to another place or engine',
  about:
    'Copies a ledger with all its records and its whole history: ids, times and order stay as they are. Etags and ' +
    'sequence numbers are given out anew. Either may be a folder, sqlite:FILE, postgres://… or azure-tables:…, whose tables are ' +
    'made. Nobody may write to either of the two meanwhile; databases do not prevent it. A copy that was cut off goes on where it was when it is ' +
    'asked for again; so does one whose source has grown since. Outputs that are kept in files are copied with a folder ' +
    'or SQLite; to PostgreSQL and Azure they go where --outputs says.',
  arguments: [
    new Argument('<from>', 'the ledger to copy: a folder or URL'),
    new Argument('<to>', 'where to: a folder or URL with nothing in it, or a copy that was cut off'),
  ],
  options: [
    new Option(
      '--outputs <folder>',
      'where outputs in files go; beside the ledger, unless told, if it is one of files',
    ),
  ],
  examples: [
    ['ledger copy ./ledger /backup/ledger', 'to another disk'],
    [
      'ledger copy ./ledger /backup/ledger && waybill ledger verify --ledger /backup/ledger',
      'and look it over',
    ],
    ['ledger copy ./ledger sqlite:./ledger.db', 'to have several processes use it'],
    ['ledger copy sqlite:./ledger.db postgres://ann@db.example/work', 'and later many machines'],
    [
      'ledger copy ./ledger azure-tables:https://work.table.core.windows.net',
      'to an account of Azure, as whoever is logged in',
    ],
    ['ledger copy ./ledger ./copy --json | jq .records.document', 'how many documents, for a program'],
  ],
  exits: [
    [3, 'there is no ledger to copy'],
    [4, 'another ledger is in the target'],
    [5, 'the ledger is damaged: repair it first'],
    [6, 'another process has one of the two open for writing'],
  ],
  async run(session, { outputs }, [from, to]) {
    const { copyLedger } = await session.library()
    const report = await session.withProgress((onProgress) =>
      copyLedger(from as string, to as string, { onProgress, outputFolder: outputs }),
    )
    if (session.isJson) return session.json(report)
    const records = Object.values(report.records).reduce((sum, n) => sum + n, 0)
    const history = countOf(report.audit_records, 'entry')
    await session.out.line(
      `${safeText(shownUrl(to as string))} has ${countOf(records, 'record')} and ${history} of history, ` +
        `${report.copied_audit_records.toLocaleString('en')} of them from now.`,
    )
  },
})
