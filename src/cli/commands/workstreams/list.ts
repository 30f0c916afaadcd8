import { Option } from 'commander'
import { statesOf } from '../../../core/machine.ts'
import { type WorkstreamState, workstreamMachine } from '../../../core/machines/workstream.ts'
import { defineCommand } from '../../define-command.ts'
import { type PagingOptions, pagesOf, pagingOptions } from '../../options/page.ts'
import { writeList } from '../../output/list.ts'
import { workstreamColumns } from '../runs/group-columns.ts'

interface Options extends PagingOptions {
  readonly run?: string
  readonly state?: WorkstreamState
}

export const workstreamsList = defineCommand<Options>({
  name: 'list',
  summary: 'which lines of work there are, and how each one goes',
  about:
    'Lists the workstreams of a tenant, or those of one run, the one that changed last first: the state of each and for ' +
    'how long, and the run it belongs to.',
  options: [
    new Option('--run <id>', 'only those of this run'),
    new Option('--state <state>', 'only in this state').choices(statesOf(workstreamMachine)),
    ...pagingOptions(),
  ],
  examples: [
    ['workstreams list --run run-1', 'those of a run'],
    ['workstreams list --state failed --json | jq -r .workstream_id', 'which failed, for a script'],
  ],
  async run(session, { tenant: tenant_id, run: run_id, state, ...paging }) {
    const ledger = await session.openToRead()
    const query = { tenant_id, run_id, state, order: 'changed', direction: 'desc' } as const
    const pages = pagesOf((page) => ledger.workstreams.list({ ...page, ...query }), paging)
    await writeList(session, pages, {
      columns: workstreamColumns(session.clock.now()),
      what: 'workstream',
      empty: () => 'There are no such workstreams. A job that names one makes it.',
    })
  },
})
