import { z } from 'zod'
import { CALLBACKS, type CallbackName } from '../../core/job/callback-urls.ts'
import type { Json } from '../../core/json.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { jobNotFound } from '../../errors/refusal-errors.ts'
import { badMessageOf, callbackOf } from '../../runtime/callbacks/callback-body.ts'
import { callbackAnswer, tellCallback } from '../../runtime/callbacks/callback-handler.ts'
import { attemptSchema, resultSchema } from '../../runtime/callbacks/callback-schemas.ts'
import { isFor } from '../auth/principal.ts'
import { ok, type Route, route } from '../route.ts'

const ABOUT: { readonly [name in CallbackName]: string } = {
  ack: 'The attempt has begun',
  heartbeat: 'The attempt goes on: its lease starts anew, and the answer may say to stop',
  result: 'The attempt is over, one way or the other',
}

const answer = z
  .strictObject({
    status: z.enum(['accepted', 'ignored']),
    cancel: z.boolean().describe('Stop: the job is being cancelled, or the attempt is no longer yours'),
    lease_expires_at: z.string().nullish().describe('Only of what is accepted'),
    lease_ms: z.number().nullish().describe('The same, for those whose clock is another'),
  })
  .meta({ id: 'CallbackAnswer' })

const attempt = {
  tenant_id: 'acme',
  jobId: '01890a5d-ac96-774b-bcce-b302099a8057',
  stepId: 'render',
  attempt_no: 1,
  lease_id: '01890a5d-b1f3-7c20-9a3e-0d1f6a2b4c5d',
}

const attemptBody = attemptSchema.meta({
  id: 'Attempt',
  description: 'Which attempt it is about: as the directive says',
  examples: [attempt],
})

const resultBody = resultSchema.meta({
  id: 'Result',
  description: 'What an attempt came to; `RELEASED` gives it back, and it does not count',
  examples: [
    { ...attempt, status: 'SUCCEEDED', output: { pages: 12 } },
    {
      ...attempt,
      status: 'FAILED',
      failure_class: 'RETRYABLE',
      error: { code: 'PRINTER_OFFLINE', message: 'The printer does not answer' },
    },
    { ...attempt, status: 'RELEASED', reason: 'The worker is about to end' },
  ],
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
    body: name === 'result' ? resultBody : attemptBody,
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
        if (!isFor(principal, attempt.tenant_id as string)) throw jobNotFound(attempt)
        return ok(callbackAnswer(await tellCallback(ledger.jobs, name, callback, { actor }), clock.now()))
      } catch (error) {
        throw error instanceof InvalidInput ? badMessageOf(error) : error
      }
    },
  }),
)
