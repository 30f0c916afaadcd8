import { Argument, Option } from 'commander'
import { defineCommand } from '../../define-command.ts'
import { safeText } from '../../output/safe-text.ts'

interface Options {
  readonly reason?: string
}

export const tokensRevoke = defineCommand<Options>({
  name: 'revoke',
  summary: 'let nobody in with a token any more',
  about:
    'Revokes a token, at once and for good; there is no way back, but another token is quickly made. Revoking one twice is ' +
    'no error.',
  arguments: [new Argument('<id>', 'id of the token: its part between wb_ and the next underscore')],
  options: [new Option('--reason <text>', 'why, for the history')],
  writes: true,
  examples: [
    ['tokens revoke 5f0c2ab91d34 --reason "it was in a log"', 'and say why'],
    ['tokens list --all', 'which there were'],
  ],
  exits: [
    [3, 'there is no such token'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, { reason }, [id]) {
    const ledger = await session.openToChange()
    const token = await ledger.tokens.revoke(id as string, { reason })
    if (session.isJson) return session.json(token)
    const { out } = session
    await out.line(`${token.token_id} (${safeText(token.name)}): ${out.paint('dim', token.state)}`)
  },
})
