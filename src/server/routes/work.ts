import { z } from 'zod'
import { directiveOf } from '../../core/job/directive.ts'
import { attemptsLeft } from '../../core/job/protocol.ts'
import { EVERYBODY } from '../../core/queue/record.ts'
import { fromIso } from '../../core/time.ts'
import type { Work } from '../../ledger/claim.ts'
import { idSchema } from '../../ledger/envelope.ts'
import { LONGEST_WAIT_MS } from '../../runtime/claim-lines.ts'
import { directiveSchema } from '../openapi/records/directive-schema.ts'
import { namedTenant } from '../request/tenant.ts'
import { ok, type Route, route, type ServerParts } from '../route.ts'

const MOST_AT_ONCE = 100
const MOST_QUEUES = 100

const claimBody = z
  .strictObject({
    queues: z.array(idSchema).min(1).max(MOST_QUEUES),
    limit: z.int().min(1).max(MOST_AT_ONCE).optional().describe('1 unless given'),
    wait_ms: z.int().min(0).max(LONGEST_WAIT_MS).optional().describe('0 unless given'),
    worker: idSchema.optional().describe('Who holds the lease; the name of the token unless given'),
    tenant_id: idSchema
      .optional()
      .describe('Only work of this tenant; of all that the token is for unless given'),
  })
  .meta({
    id: 'Claim',
    examples: [{ queues: ['printer'], limit: 5, wait_ms: 30_000, worker: 'printer-7' }],
  })

/** Workers in any language: they ask for work, and report by callbacks. */
export const workRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/work/claim',
    operation: 'claimWork',
    summary: 'Take work, or wait for some',
    about:
      'What comes back is leased to the worker and in progress: report with `/v1/callbacks/heartbeat` while it goes on, and ' +
      'with `/v1/callbacks/result` when it is over. Without anything to do the answer comes after `wait_ms`, and is empty.',
    needs: 'work',
    body: claimBody,
    answers: {
      200: {
        about: 'Directives; none when there is nothing to do',
        schema: z.strictObject({ work: z.array(directiveSchema) }),
      },
    },
    async handle({ server, body, principal, signal, actor }) {
      const { queues, limit, wait_ms: waitMs, worker = actor, tenant_id } = body
      const named = tenant_id === undefined ? EVERYBODY : namedTenant(principal, tenant_id, true)
      const tenants = named === EVERYBODY ? principal.tenants : [named]
      const works = await server.lines.claim({
        queues,
        limit,
        waitMs,
        worker,
        signal,
        ...(tenants === null ? null : { tenants: [...tenants] }),
      })
      return ok({ work: await Promise.all(works.map((work) => told(work, server))) })
    },
  }),
]

/** What the worker is told: a directive, as services get it, with what the step before came to and until when it is his. */
async function told(
  { job, step, previous, previous_file }: Work,
  { ledger, clock }: ServerParts,
): Promise<object> {
  return {
    ...directiveOf(job, step),
    queue: step.queue,
    previous: await ledger.jobs.output({ output: previous, output_file: previous_file }),
    attempts_left: attemptsLeft(step),
    lease_expires_at: step.lease_expires_at,
    lease_ms:
      step.lease_expires_at === null ? null : Math.max(0, fromIso(step.lease_expires_at) - clock.now()),
  }
}
