import { z } from 'zod'
import { statesOf } from '../../../core/machine.ts'
import { jobMachine } from '../../../core/machines/job.ts'
import type { FileChange } from '../../../orchestrator/provenance.ts'
import type { JobView } from '../../../orchestrator/state-interface.ts'
import type { TouchedFile } from '../../../orchestrator/touched-files.ts'
import { at, id, jsonObject } from './field-schemas.ts'
import { schemaFor } from './schema-for.ts'

const toolStatus = z.enum(['queued', 'running', 'completed', 'failed', 'timeout', 'cancelled'])

export const touchedFileSchema = schemaFor<TouchedFile>()(
  z.strictObject({
    file: z.string(),
    repo_root: z.string().nullable(),
    tenant_id: id,
    job_id: id.describe('The job that changed it last'),
    tool: z.string(),
    state: z.enum(statesOf(jobMachine)),
    status: toolStatus,
    run_id: id.nullable(),
    workstream_id: id.nullable(),
    changed_at: at,
    commit_before: z.string().nullable(),
    commit_after: z.string().nullable().describe('Of the job that committed it, where that is another one'),
  }),
).meta({ id: 'TouchedFile' })

const jobViewSchema = schemaFor<JobView>()(
  z.strictObject({
    job_id: id,
    run_id: id.nullable(),
    workstream_id: id.nullable(),
    tool: z.string(),
    status: toolStatus,
    priority: z.enum(['critical', 'high', 'normal', 'low']),
    depends_on: z.array(id),
    metadata: jsonObject,
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    escalated_to: id.nullable(),
    escalated_from: id.nullable(),
    original_job_id: id.nullable(),
    created_at: at,
    updated_at: at,
    completed_at: at.nullable(),
  }),
).meta({ id: 'ToolJob', description: 'A tool job, in the words of those who run tools' })

export const fileChangeSchema = schemaFor<FileChange>()(
  z.strictObject({
    file: z.string(),
    job: jobViewSchema,
    commit_before: z.string().nullable(),
    commit_after: z.string().nullable(),
    committed_by: jobViewSchema
      .nullable()
      .describe(
        'The job that committed what that one had changed; null when it is not committed, or by itself',
      ),
    tests: z
      .strictObject({ job: jobViewSchema, passed: z.boolean(), totals: jsonObject.nullable() })
      .nullable()
      .describe('The first test job that looked at it afterwards; null when none did yet'),
  }),
).meta({ id: 'FileChange' })
