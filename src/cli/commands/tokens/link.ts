import { Option } from 'commander'
import { ROLES, type Role } from '../../../core/token/record.ts'
import { defineCommand } from '../../define-command.ts'
import { tenantList } from '../../options/tenant-list.ts'

interface Options {
  readonly role?: Role
  readonly for?: readonly string[]
}

export const tokensLink = defineCommand<Options>({
  name: 'link',
  summary: 'a link that opens the page of the server, once',
  about:
    'Asks the server that has the ledger for a link to its page, and prints it. It is good once and for 15 minutes; the ' +
    'browser that opens it stays in for 12 hours. With --role or --for it opens less: give such a link to somebody else. ' +
    'The server of a ledger in a folder is found by itself; any other is named by --ledger http://…, with a token in ' +
    'the variable WAYBILL_TOKEN.',
  options: [
    new Option('--role <role>', 'what whoever opens it may do; as much as you unless told').choices(ROLES),
    new Option('--for <tenants>', 'whose records, as in a,b; may be repeated').argParser(tenantList),
  ],
  examples: [
    ['tokens link', 'open the page yourself'],
    ['tokens link --role viewer --for acme', 'for somebody who is to look at one tenant'],
    ['tokens link --json | jq -r .url | xargs xdg-open', 'open it at once'],
  ],
  exits: [
    [1, 'there is no server'],
    [4, 'the link would open more than the token does'],
  ],
  async run(session, { role, for: tenants }) {
    const server = await session.openServer()
    const link = await server.link({ role, tenants })
    if (session.isJson) return session.json(link)
    await session.out.line(link.url)
    await session.notes.hint('Good once, and for 15 minutes.', { expires_at: link.expires_at })
  },
})
