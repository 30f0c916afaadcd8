import { Option } from 'commander'
import { statesOf } from '../../../core/machine.ts'
import { type RunState, runMachine } from '../../../core/machines/run.ts'
import { defineCommand } from '../../define-command.ts'
import { type PagingOptions, pagesOf, pagingOptions } from '../../options/page.ts'
import { writeList } from '../../output/list.ts'
import { runColumns } from './group-columns.ts'

interface Options extends PagingOptions {
  readonly state?: RunState
}

export const runsList = defineCommand<Options>({
  name: 'list',
  summary: 'which runs there are, and how each one goes',
  about:
    'Lists the runs of a tenant, the one that changed last first: the state of each and for how long, whether more jobs ' +
    'may come (a run that is sealed takes none), and what was said of it.',
  options: [
    new Option('--state <state>', 'only in this state').choices(statesOf(runMachine)),
    ...pagingOptions(),
  ],
  examples: [
    ['runs list', 'the latest'],
    ['runs list --state failed --json | jq -r .run_id', 'which failed, for a script'],
  ],
  async run(session, { tenant: tenant_id, state, ...paging }) {
    const ledger = await session.openToRead()
    const order = { order: 'changed', direction: 'desc' } as const
    const pages = pagesOf((page) => ledger.runs.list({ ...page, ...order, tenant_id, state }), paging)
    await writeList(session, pages, {
      columns: runColumns(session.clock.now()),
      what: 'run',
      empty: () =>
        state === undefined ? 'There are no runs. A job that names one makes it.' : `No run is ${state}.`,
    })
  },
})
