import { Option } from 'commander'
import { fromIso } from '../../../core/time.ts'
import type { TokenInfo } from '../../../ledger/tokens.ts'
import type { Page } from '../../../store/query.ts'
import { defineCommand } from '../../define-command.ts'
import { writeList } from '../../output/list.ts'
import { type Column, NEEDED } from '../../output/table.ts'
import { timeText } from '../../output/words.ts'
import { standingOf, standingStyle, tenantsText } from './tell.ts'

interface Options {
  readonly all?: true
}

export const tokensList = defineCommand<Options>({
  name: 'list',
  summary: 'who may come in, as what, and until when',
  about:
    'Lists the access tokens, for all tenants: who each is for, what it is good for, and until when. Neither the tokens ' +
    'themselves nor their hashes are shown. Those that were revoked are left out, unless --all asks for them.',
  options: [new Option('--all', 'those that were revoked as well')],
  examples: [
    ['tokens list', 'who may come in'],
    [
      'tokens list --json | jq -r "select(.role == \\"admin\\") | .name"',
      'who may do everything, for a program',
    ],
  ],
  async run(session, { all }) {
    const ledger = await session.openToRead()
    const tokens = ledger.tokens.list(all === true ? {} : { state: 'active' })
    await writeList(session, pagesOf(tokens), {
      columns: tokenColumns(session.clock.now()),
      what: 'token',
      empty: () => `There are no tokens. Make one: ${session.hintOf('tokens create NAME --role viewer')}`,
    })
  },
})

const AT_ONCE = 100

async function* pagesOf(tokens: AsyncIterable<TokenInfo>): AsyncGenerator<Page<TokenInfo>> {
  let items: TokenInfo[] = []
  for await (const token of tokens) {
    items.push(token)
    if (items.length < AT_ONCE) continue
    yield { items, next: null }
    items = []
  }
  yield { items, next: null }
}

function tokenColumns(now: number): readonly Column<TokenInfo>[] {
  return [
    { title: 'ID', value: ({ token_id }) => token_id, least: 12, worth: NEEDED },
    { title: 'NAME', value: ({ name }) => name, least: 8, worth: NEEDED },
    { title: 'ROLE', value: ({ role }) => role, least: 8, worth: 6 },
    {
      title: 'STATE',
      value: (token) => standingOf(token, now),
      style: (token) => standingStyle(token, now),
      least: 7,
      worth: NEEDED,
    },
    { title: 'TENANTS', value: tenantsText, least: 11, worth: 5 },
    {
      title: 'EXPIRES',
      value: ({ expires_at: at }) => (at === null ? null : timeText(fromIso(at))),
      least: 20,
      worth: 4,
    },
    { title: 'CREATED', value: ({ created_at }) => timeText(fromIso(created_at)), least: 20, worth: 1 },
  ]
}
