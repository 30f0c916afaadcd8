import { Argument, Option } from 'commander'
import { defineCommand } from '../../define-command.ts'
import { type PagingOptions, pagingOptions } from '../../options/page.ts'
import { writeJobHistory } from './write-history.ts'

interface Options extends PagingOptions {
  readonly desc?: boolean
}

export const jobsHistory = defineCommand<Options>({
  name: 'history',
  summary: 'everything that happened to a job, its steps and its directives',
  about:
    'Shows everything that happened to a job, oldest first: each state that the job, its steps and the directives ' +
    'they sent went through, with who, when and why, errors, and what was refused or came too late. A job that nobody ' +
    'knows has no history; that is said, and is no error.',
  arguments: [new Argument('<id>', 'id of the job')],
  options: [new Option('--desc', 'latest first'), ...pagingOptions()],
  examples: [
    ['jobs history JOB', 'all of it'],
    ['jobs history JOB --desc --limit 5', 'the last five things'],
    [
      'jobs history JOB --json | jq -r "select(.error_type) | .error_message"',
      'what went wrong, for a program',
    ],
  ],
  async run(session, options, [id]) {
    await writeJobHistory(session, await session.openToRead(), id as string, options)
  },
})
