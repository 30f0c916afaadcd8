// What the command line of whoever runs the server needs beside what everybody has. All of it is for admins of all tenants:
// a tool job runs programs on the machine, a protocol of one's own can have its steps done by those who run them, and an edge
// that is not declared breaks a rule.
import { isAbsolute } from 'node:path'
import { z } from 'zod'
import type { LedgerState } from '../../core/document/states.ts'
import type { Protocol } from '../../core/job/protocol.ts'
import { DEPENDENCY_POLICIES, PRIORITIES } from '../../core/job/record.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { idSchema } from '../../ledger/envelope.ts'
import type { PipelineRequest } from '../../ledger/pipeline-request.ts'
import { JobStateStore } from '../../orchestrator/job-state-store.ts'
import { ToolOrchestrator } from '../../orchestrator/orchestrator.ts'
import { parseToolJob, type ToolJob } from '../../orchestrator/tools/tool-job.ts'
import { documentSchema } from '../openapi/records/document-schemas.ts'
import { recordReply } from '../request/fields.ts'
import { changeQuery } from '../request/query.ts'
import { namedTenant } from '../request/tenant.ts'
import { type Route, route } from '../route.ts'
import { accepted } from './commands.ts'
import { documentUpdate } from './documents.ts'

const MOST_DEPENDENCIES = 1000

const admin = { needs: 'admin', everybody: true, isAdmin: true } as const

export const localRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/admin/commands',
    operation: 'submitWithProtocol',
    summary: 'Submit a job together with the protocol that answers it',
    about:
      'For a protocol that is not registered here, as that of a pipeline in a file; it counts for this job.',
    ...admin,
    query: z.strictObject(changeQuery),
    body: z.strictObject({
      protocol: z.record(z.string(), z.unknown()),
      request: z.record(z.string(), z.unknown()).describe('As for `/v1/commands`, without its type'),
    }),
    answers: { 202: { about: 'It is accepted, or was before', schema: accepted } },
    async handle({ server, body, principal, tenant_id, actor, query: { reason } }) {
      const request = { tenant_id, ...body.request } as PipelineRequest
      if (typeof request.tenant_id === 'string') namedTenant(principal, request.tenant_id)
      const protocol = body.protocol as unknown as Protocol
      const { job_id, duplicate, differing } = await server.ledger.jobs.submit({ protocol }, request, {
        actor,
        ...(reason === undefined ? null : { reason }),
      })
      return { status: 202, body: { jobId: job_id, duplicate, differing } }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/admin/tool-jobs',
    operation: 'queueToolJob',
    summary: 'Leave a tool job to the workers',
    about:
      'The job as its file has it; its repository is a folder of the machine of the workers, by its whole path.',
    ...admin,
    query: z.strictObject(changeQuery),
    body: z.strictObject({
      job: z.record(z.string(), z.unknown()),
      priority: z.enum(PRIORITIES).optional(),
      after: z.array(idSchema).max(MOST_DEPENDENCIES).optional().describe('Jobs that have to be done first'),
      on_dependency_failure: z.enum(DEPENDENCY_POLICIES).optional(),
    }),
    answers: {
      202: { about: 'It is accepted, or was before', schema: accepted.extend({ tenant_id: z.string() }) },
    },
    async handle({ server, body, by: { tenant_id, actor, reason } }) {
      const job = parseToolJob(body.job)
      mustBeAbsolute(job)
      const tools = new ToolOrchestrator(
        { store: new JobStateStore(server.ledger), adapters: server.adapters },
        // Never asked for: there is a store.
        async () => server.ledger,
      )
      const { priority, after, on_dependency_failure: onDependencyFailure } = body
      const { job_id, duplicate, differing } = await tools.queueJob(job, {
        ...{ priority, after, onDependencyFailure, reason },
        ...{ tenant_id, actor },
      })
      return { status: 202, body: { jobId: job_id, tenant_id, duplicate, differing } }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/admin/documents/{doc_id}:force',
    operation: 'forceDocument',
    summary: 'Move a document by a way that is not declared',
    about: 'The history marks it. What is declared goes through `/v1/documents/{doc_id}:move`.',
    ...admin,
    query: z.strictObject(changeQuery),
    body: documentUpdate,
    answers: { 200: { about: 'The document as it is now', schema: documentSchema } },
    async handle({ server, params, by, body: { state, ...more } }) {
      const options = { ...by, ...more, validate: false }
      const { documents } = server.ledger
      return recordReply(await documents.updateState(params.doc_id as string, state as LedgerState, options))
    },
  }),
]

/** Where this process was started says nothing of where the caller is. */
function mustBeAbsolute({ paths }: ToolJob): void {
  if (isAbsolute(paths.repo_root)) return
  const message = `paths.repo_root ${JSON.stringify(paths.repo_root)} is not a whole path`
  throw new InvalidInput('paths.repo_root', message, 'Give it from the root on.')
}
