import { Option } from 'commander'
import { HUMAN_LANE } from '../../../core/job/tool-service.ts'
import { isTerminal, statesOf } from '../../../core/machine.ts'
import { type JobState, jobMachine } from '../../../core/machines/job.ts'
import type { Ledger } from '../../../ledger/ledger.ts'
import { systemClock } from '../../../world/clock.ts'
import { defineCommand } from '../../define-command.ts'
import {
  type JobFilterOptions,
  jobFilterOf,
  jobFilterOptions,
  jobStateOption,
  jobTypeOption,
} from '../../options/job-filter.ts'
import {
  type OrderOptions,
  orderOptions,
  type PagingOptions,
  pagesOf,
  pagingOptions,
} from '../../options/page.ts'
import { writeList } from '../../output/list.ts'
import { countOf } from '../../output/words.ts'
import type { Session } from '../../session.ts'
import { keepMemorySmall } from '../../small-memory.ts'
import { jobColumns } from './columns.ts'

interface Options extends JobFilterOptions, OrderOptions, PagingOptions {
  readonly open?: boolean
  readonly waitingForPeople?: boolean
}

const STATES: readonly JobState[] = statesOf(jobMachine)
const OPEN = STATES.filter((state) => !isTerminal(jobMachine, state))

export const jobsList = defineCommand<Options>({
  name: 'list',
  summary: 'which jobs there are, and how far each one is',
  about:
    'Lists the jobs of a tenant: the state each one is in and for how long, the step it is at, and what went wrong. ' +
    `Jobs are sorted by id; ids that the ledger made begin with the time.\n\nStates: ${STATES.join(', ')}`,
  options: [
    jobStateOption(),
    new Option('--open', 'only those that have not ended').conflicts('state'),
    jobTypeOption(),
    new Option(
      '--waiting-for-people',
      'only open ones that were left to a person; waybill jobs resolve says how such a job ended',
    ).conflicts(['state', 'open', 'type']),
    ...jobFilterOptions(),
    ...orderOptions(),
    ...pagingOptions(),
  ],
  examples: [
    ['jobs list', 'the first hundred'],
    ['jobs list --open', 'what is still to be done'],
    [
      'jobs list --state FAILED_FINAL --since 1d --order changed --desc',
      'what failed since yesterday, latest first',
    ],
    ['jobs list --waiting-for-people', 'what somebody has to see to'],
    ['jobs list --doc pubmed:123', 'everything that was done about a document'],
    ['jobs list --state FAILED_FINAL --all --json | jq -r .job_id', 'ids, for a script'],
  ],
  async run(session, options) {
    if (options.all === true) keepMemorySmall()
    const ledger = await session.openToRead()
    const isOpen = options.open === true || options.waitingForPeople === true
    const filter = jobFilterOf({
      ...options,
      ...(isOpen ? { state: OPEN } : null),
      ...(options.waitingForPeople === true ? { type: HUMAN_LANE } : null),
    })
    const { tenant: tenant_id, order } = options
    const direction = options.desc === true ? 'desc' : 'asc'
    const pages = pagesOf(
      (page) => ledger.jobs.list({ ...page, ...filter, tenant_id, order, direction }),
      options,
    )
    const isFiltered = [...Object.values(filter), options.after].some((given) => given !== undefined)
    await writeList(session, pages, {
      columns: jobColumns(systemClock.now()),
      what: 'job',
      empty: () => emptyText(session, ledger, isFiltered),
    })
  },
})

/** Whoever forgets the tenant should not conclude that there is nothing to do. */
async function emptyText({ options }: Session, ledger: Ledger, isFiltered: boolean): Promise<string> {
  const tenant = options.tenant ?? 'default'
  const own = sum(await ledger.counts('job', tenant))
  if (own > 0 && isFiltered) return `None of ${countOf(own, 'job')} matches.`
  const all = sum(await ledger.counts('job'))
  if (all > 0)
    return `The tenant ${JSON.stringify(tenant)} has no jobs; others have ${all}. Say whose with --tenant.`
  return 'There are no jobs in this ledger yet.'
}

function sum(counts: { readonly [state: string]: number }): number {
  return Object.values(counts).reduce((total, n) => total + n, 0)
}
