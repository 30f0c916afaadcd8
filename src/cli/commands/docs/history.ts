import { Argument, Option } from 'commander'
import { defineCommand } from '../../define-command.ts'
import { type PagingOptions, pagingOptions } from '../../options/page.ts'
import { writeHistory } from '../history-list.ts'

interface Options extends PagingOptions {
  readonly desc?: boolean
}

export const docsHistory = defineCommand<Options>({
  name: 'history',
  summary: 'how a document got where it is',
  about:
    'Shows everything that happened to a document, oldest first: each change of state with who, when and why, how ' +
    'long it had been in the state before (AFTER), errors, and what was refused. A document that nobody knows has no ' +
    'history; that is said, and is no error.',
  arguments: [new Argument('<id>', 'id of the document')],
  options: [new Option('--desc', 'latest first'), ...pagingOptions()],
  examples: [
    ['docs history pubmed:123', 'all of it'],
    ['docs history pubmed:123 --desc --limit 1', 'what happened last'],
    ['docs history pubmed:123 --json | jq -r .error_type', 'what went wrong, for a program'],
  ],
  run: (session, options, [id]) => writeHistory(session, { kind: 'document', id: id as string }, options),
})
