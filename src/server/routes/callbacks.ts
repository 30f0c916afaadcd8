import { z } from 'zod'
import { CALLBACKS, type CallbackName } from '../../core/job/callback-urls.ts'
import type { Json } from '../../core/json.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import {
  attemptSchema,
  badMessageOf,
  callbackOf,
  resultSchema,
} from '../../runtime/callbacks/callback-body.ts'
import { callbackAnswer, tellCallback } from '../../runtime/callbacks/callback-handler.ts'
import { isFor } from '../auth/principal.ts'
import { ok, type Route, route } from '../route.ts'
import { missingStep } from './missing-step.ts'

const ABOUT: { readonly [name in CallbackName]: string } = {
  ack: 'The attempt has begun',
  heartbeat: 'The attempt goes on: its lease starts anew, and the answer may say to stop',
  result: 'The attempt is over, one way or the other',
}

const answer = z.object({
  status: z.enum(['accepted', 'ignored']),
  cancel: z.boolean().describe('Stop: the job is being cancelled, or the attempt is no longer yours'),
  lease_expires_at: z.string().nullish(),
  lease_ms: z.number().nullish().describe('The same, for those whose clock is another'),
})

/** How services and workers report, in any language. */
export const callbackRoutes: readonly Route[] = CALLBACKS.map((name) =>
  route({
    method: 'POST',
    path: `/v1/callbacks/${name}`,
    operation: `report${name[0]?.toUpperCase()}${name.slice(1)}`,
    summary: ABOUT[name],
    about:
      'Fenced by `attempt_no` and `lease_id`: late and repeated ones change nothing, and are recorded. With a token, or ' +
      'signed as Standard Webhooks are.',
    needs: 'work',
    mayBeSigned: true,
    body: name === 'result' ? resultSchema : attemptSchema,
    isBodyCheckedBehind: true,
    answers: {
      200: { about: 'It is accepted, or ignored because it was said before', schema: answer },
      404: { about: 'There is no such job or step' },
      409: { about: 'The attempt does not hold the step any more' },
    },
    async handle({ server: { ledger, clock }, body, principal, actor }) {
      try {
        const callback = callbackOf(name, body as Json)
        const { attempt } = callback
        if (!isFor(principal, attempt.tenant_id as string)) throw missingStep(attempt)
        return ok(callbackAnswer(await tellCallback(ledger.jobs, name, callback, { actor }), clock.now()))
      } catch (error) {
        throw error instanceof InvalidInput ? badMessageOf(error) : error
      }
    },
  }),
)
