import { Option } from 'commander'
import type { LedgerState } from '../../../core/document/states.ts'
import type { Ledger } from '../../../ledger/ledger.ts'
import { systemClock } from '../../../world/clock.ts'
import { defineCommand } from '../../define-command.ts'
import {
  type OrderOptions,
  orderOptions,
  type PagingOptions,
  pagesOf,
  pagingOptions,
} from '../../options/page.ts'
import { documentStates } from '../../options/state-list.ts'
import { DOCUMENT_STATES, STATES_TEXT } from '../../options/states.ts'
import { timeOption } from '../../options/time-option.ts'
import { writeList } from '../../output/list.ts'
import { countOf } from '../../output/words.ts'
import type { Session } from '../../session.ts'
import { keepMemorySmall } from '../../small-memory.ts'
import { documentColumns } from './columns.ts'

interface Options extends OrderOptions, PagingOptions {
  readonly state?: readonly LedgerState[]
  readonly adapter?: string
  readonly since?: number
  readonly until?: number
}

export const docsList = defineCommand<Options>({
  name: 'list',
  summary: 'which documents there are, and where each one is',
  about:
    'Lists the documents of a tenant: the state each one is in, since when, who brought it there, and its last error.' +
    STATES_TEXT,
  options: [
    new Option('--state <state...>', 'only in these states; several with commas or by repeating it')
      .choices(DOCUMENT_STATES)
      .argParser(documentStates),
    new Option('--adapter <name>', 'only those that this adapter last worked on'),
    timeOption('since', 'only those that came into their state at this time or later'),
    timeOption('until', 'only those that came into their state before this time'),
    ...orderOptions(),
    ...pagingOptions(),
  ],
  examples: [
    ['docs list', 'the first hundred'],
    ['docs list --state failed,retrying --order changed --desc', 'what went wrong, latest first'],
    ['docs list --adapter pubmed --since 2h', 'what pubmed did in the last two hours'],
    ['docs list --all --json | jq -r .doc_id', 'every id there is'],
  ],
  async run(session, options) {
    if (options.all === true) keepMemorySmall()
    const ledger = await session.openToRead()
    const { tenant: tenant_id, state, adapter, order } = options
    const pages = pagesOf(
      (page) =>
        ledger.documents.list({
          ...page,
          tenant_id,
          state,
          adapter,
          order,
          changedFrom: options.since,
          changedBefore: options.until,
          direction: options.desc === true ? 'desc' : 'asc',
        }),
      options,
    )
    const isFiltered = [state, adapter, options.since, options.until, options.after].some(
      (filter) => filter !== undefined,
    )
    await writeList(session, pages, {
      columns: documentColumns(systemClock.now()),
      what: 'document',
      empty: () => emptyText(session, ledger, isFiltered),
      total: options.all === true && !isFiltered ? () => totalOf(ledger, tenant_id) : undefined,
    })
  },
})

/** Whoever forgets the tenant should not conclude that everything is gone. */
async function emptyText({ options }: Session, ledger: Ledger, isFiltered: boolean): Promise<string> {
  const everybodys = sum(await ledger.counts('document'))
  const own = await totalOf(ledger, options.tenant)
  if (own > 0 && isFiltered) return `None of ${countOf(own, 'document')} matches.`
  const whose =
    options.tenant === undefined ? 'The tenant "default"' : `The tenant ${JSON.stringify(options.tenant)}`
  if (everybodys > 0) {
    return `${whose} has no documents; others have ${everybodys}. Say whose with --tenant.`
  }
  return 'There are no documents in this ledger yet.'
}

async function totalOf(ledger: Ledger, tenant = 'default'): Promise<number> {
  return sum(await ledger.counts('document', tenant))
}

function sum(counts: { readonly [state: string]: number }): number {
  return Object.values(counts).reduce((total, n) => total + n, 0)
}
