import { z } from 'zod'
import type { LedgerEntry } from '../../core/job/entry.ts'
import { idSchema } from '../../ledger/envelope.ts'
import { LedgerStateManager } from '../../ledger/state-manager.ts'
import { entrySchema } from '../openapi/records/entry-schema.ts'
import { changeQuery, tenantQuery } from '../request/query.ts'
import { type Call, ok, type Route, route, STALE } from '../route.ts'

const stage = idSchema
const error = z.union([z.string(), z.strictObject({ code: z.string().optional(), message: z.string() })])
const count = z.number().int().nonnegative()
const answers = {
  200: {
    about: 'The entry as it is now; null when there is no such job',
    schema: z.strictObject({ entry: entrySchema.nullable() }),
  },
}

function report<B extends z.ZodType>(
  verb: string,
  summary: string,
  body: B,
  tell: (manager: LedgerStateManager, job_id: string, body: z.output<B>) => Promise<LedgerEntry | null>,
): Route {
  return route({
    method: 'POST',
    path: `/v1/stages/{job_id}:${verb}`,
    operation: verb,
    summary,
    needs: 'work',
    query: z.strictObject(changeQuery),
    body,
    answers: { ...answers, ...STALE },
    async handle(call: Call<unknown, z.output<B>>) {
      const manager = new LedgerStateManager(call.server.ledger, call.by)
      return ok({ entry: await tell(manager, call.params.job_id as string, call.body) })
    },
  })
}

/** The state manager, for schedulers that run the stages themselves, in any language. */
export const stageRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/stages/{job_id}',
    operation: 'fetchEntry',
    summary: 'The entry of a job: its status, its stage, and what is known of each stage',
    needs: 'read',
    query: z.strictObject(tenantQuery),
    answers,
    async handle({ server, params, tenant_id }) {
      const manager = new LedgerStateManager(server.ledger, { tenant_id })
      return ok({ entry: await manager.fetchEntry(params.job_id as string) })
    },
  }),
  report(
    'prepareRun',
    'The run is about to begin',
    z.strictObject({
      pipeline_name: idSchema,
      pipeline_version: z.string().min(1).max(512),
      context: z.json().optional(),
      adapter_request: z.json().optional(),
      payload: z.json().optional(),
    }),
    (manager, job_id, body) => manager.prepareRun(job_id, body),
  ),
  report('stageStarted', 'A stage has begun', z.strictObject({ stage }), (manager, job_id, body) =>
    manager.stageStarted(job_id, body.stage),
  ),
  report(
    'recordRetry',
    'An attempt at a stage failed, and the next one begins',
    z.strictObject({ stage, error: error.optional() }),
    (manager, job_id, body) =>
      manager.recordRetry(job_id, body.stage, body.error === undefined ? undefined : thrown(body.error)),
  ),
  report(
    'stageSucceeded',
    'A stage is done',
    z.strictObject({
      stage,
      attempts: count.optional(),
      output_count: count.optional(),
      duration_ms: z.number().nonnegative().optional(),
      output: z.json().optional(),
    }),
    (manager, job_id, { stage: done, ...outcome }) => manager.stageSucceeded(job_id, done, outcome),
  ),
  report(
    'stageFailed',
    'A stage failed for good, and with it the job',
    z.strictObject({ stage: stage.nullable(), error }),
    (manager, job_id, body) => manager.stageFailed(job_id, body.stage, thrown(body.error)),
  ),
  report(
    'completeRun',
    'There are no more stages to come',
    z.strictObject({ metadata: z.record(z.string(), z.json()).optional() }),
    (manager, job_id, body) => manager.completeRun(job_id, body.metadata),
  ),
  report('recordJobAttempt', 'The whole run was begun once more', z.strictObject({}), (manager, job_id) =>
    manager.recordJobAttempt(job_id),
  ),
]

/** What went wrong elsewhere, as the history takes it. */
function thrown(told: z.output<typeof error>): unknown {
  if (typeof told === 'string') return told
  return { error_type: told.code ?? 'STAGE_FAILED', error_message: told.message, traceback: null }
}
