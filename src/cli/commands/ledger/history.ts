import { Argument, Option } from 'commander'
import type { RecordKind } from '../../../core/machines/all.ts'
import { defineCommand } from '../../define-command.ts'
import { type PagingOptions, pagingOptions } from '../../options/page.ts'
import { RECORD_KINDS } from '../../options/states.ts'
import { writeHistory } from '../history-list.ts'

interface Options extends PagingOptions {
  readonly kind: RecordKind
  readonly desc?: boolean
}

export const ledgerHistory = defineCommand<Options>({
  name: 'history',
  summary: 'how a record of any kind got where it is',
  about:
    'Shows everything that happened to one record, oldest first. A record that nobody knows has no history; that is ' +
    'said, and is no error.',
  arguments: [new Argument('<id>', 'id of the record')],
  options: [
    new Option('--kind <kind>', 'what it is').choices(RECORD_KINDS).default('document'),
    new Option('--desc', 'latest first'),
    ...pagingOptions(),
  ],
  examples: [
    ['ledger history pubmed:123', 'of a document'],
    ['ledger history job-17 --kind job', 'of a job'],
    ['ledger history pubmed:123 --desc --limit 5', 'the last five things'],
  ],
  run: (session, options, [id]) => writeHistory(session, { kind: options.kind, id: id as string }, options),
})
