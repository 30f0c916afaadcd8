import { Argument } from 'commander'
import { fromIso } from '../../../core/time.ts'
import { NotFound } from '../../../errors/refusal-errors.ts'
import { defineCommand } from '../../define-command.ts'
import { fieldLines } from '../../output/fields.ts'
import { safeText } from '../../output/safe-text.ts'
import { timeText } from '../../output/words.ts'
import { expiryText, standingOf, standingStyle, tenantsText } from './tell.ts'

export const tokensShow = defineCommand({
  name: 'show',
  summary: 'everything about one token, but the token',
  about:
    'Shows who a token is for, what it is good for, and until when. The token itself cannot be shown: it is kept nowhere. ' +
    'Who made and who revoked it is in the history: waybill ledger audit --kind token --id ID.',
  arguments: [new Argument('<id>', 'id of the token: its part between wb_ and the next underscore')],
  examples: [
    ['tokens show 5f0c2ab91d34', 'all about it'],
    ['tokens show 5f0c2ab91d34 --json | jq -r .expires_at', 'until when, for a program'],
  ],
  exits: [[3, 'there is no such token']],
  async run(session, _options, [id]) {
    const ledger = await session.openToRead()
    const token = await ledger.tokens.get(id as string)
    if (token === null) {
      throw new NotFound({
        code: 'NOT_FOUND',
        field: 'id',
        message: 'There is no such token',
        next: `See what there is: ${session.hintOf('tokens list --all')}`,
        details: {},
      })
    }
    if (session.isJson) return session.json(token)
    const { out, clock } = session
    const now = clock.now()
    const fields = fieldLines(out, [
      ['name', token.name],
      ['role', token.role],
      ['state', standingOf(token, now), undefined, standingStyle(token, now)],
      ['since', timeText(fromIso(token.state_since))],
      ['tenants', tenantsText(token)],
      ['good', expiryText(token)],
      ['created', timeText(fromIso(token.created_at))],
      ['etag', token.etag],
    ])
    await out.write(`${out.paint('bold', safeText(token.token_id))}\n${fields}`)
  },
})
