import { Argument, Option } from 'commander'
import { ALL_TENANTS, ROLES, type Role } from '../../../core/token/record.ts'
import { DEFAULT_SETTINGS } from '../../../ledger/settings.ts'
import type { TokenInfo } from '../../../ledger/tokens.ts'
import { defineCommand } from '../../define-command.ts'
import { futureTimeOption } from '../../options/future-time.ts'
import { tenantList } from '../../options/tenant-list.ts'
import type { GlobalOptions } from '../../session.ts'
import { expiryText, tenantsText } from './tell.ts'

interface Options {
  readonly role: Role
  readonly for?: readonly string[]
  readonly allTenants?: true
  readonly expires?: string
  readonly reason?: string
}

export const tokensCreate = defineCommand<Options>({
  name: 'create',
  summary: 'let somebody in: make a token, which is shown once',
  about:
    'Makes an access token for the server and prints it, this one time: the ledger keeps only a hash of it. A viewer ' +
    'reads; a worker also claims work and reports on it; an operator also submits, cancels and steers; an admin may do ' +
    'everything, and make tokens. It is good for the records of one tenant, that of --tenant or "default", unless --for ' +
    'or --all-tenants says otherwise.',
  arguments: [new Argument('<name>', 'who it is for: the actor in the history of what is done with it')],
  options: [
    new Option('--role <role>', 'what it is good for').choices(ROLES).makeOptionMandatory(),
    new Option('--for <tenants>', 'whose records, as in a,b; may be repeated')
      .argParser(tenantList)
      .conflicts('allTenants'),
    new Option('--all-tenants', "everybody's records"),
    futureTimeOption(
      'expires',
      'how long it is good, as in 90d, or until when; until it is revoked unless told',
    ),
    new Option('--reason <text>', 'why, for the history'),
  ],
  writes: true,
  examples: [
    [
      'tokens create ann --role operator --tenant acme --expires 90d',
      'Ann steers the jobs of acme, for three months',
    ],
    ['tokens create ci --role worker --for acme,globex', 'a worker for two tenants'],
    [
      'tokens create grafana --role viewer --all-tenants --json | jq -r .token',
      'the token alone, for a program',
    ],
  ],
  exits: [
    [2, 'the name, the role or the time makes no sense'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, options, [name]) {
    const ledger = await session.openToChange()
    const { token, record } = await ledger.tokens.mint(
      { name: name as string, role: options.role, tenants: tenantsOf(options), expires_at: options.expires },
      { reason: options.reason },
    )
    const { notes, out } = session
    if (session.isJson) await session.json({ token, ...record })
    else await out.line(token)
    await notes.hint(`Shown only now: keep it where you keep secrets. ${good(record)}`)
    await notes.hint(`To take it back: ${session.hintOf(`tokens revoke ${record.token_id}`)}`)
  },
})

function tenantsOf(options: Options & GlobalOptions): readonly string[] {
  if (options.allTenants === true) return [ALL_TENANTS]
  return options.for ?? [options.tenant ?? DEFAULT_SETTINGS.tenant_id]
}

function good(record: TokenInfo): string {
  return `It lets ${record.name} in as ${record.role}, for ${tenantsText(record)}, ${expiryText(record)}.`
}
