import { z } from 'zod'
import type { RunRecord } from '../../../core/group/run-record.ts'
import type { WorkstreamRecord } from '../../../core/group/workstream-record.ts'
import { statesOf } from '../../../core/machine.ts'
import { runMachine } from '../../../core/machines/run.ts'
import { workstreamMachine } from '../../../core/machines/workstream.ts'
import { at, etag, id, jsonObject } from './field-schemas.ts'
import { schemaFor } from './schema-for.ts'

const group = {
  tenant_id: id,
  state_since: at,
  sealed: z.boolean().describe('No more jobs are to come: it ends when those it has do'),
  metadata: jsonObject,
  created_at: at,
  updated_at: at,
  completed_at: at.nullable(),
  etag,
}

export const runSchema = schemaFor<RunRecord>()(
  z.strictObject({ kind: z.literal('run'), run_id: id, state: z.enum(statesOf(runMachine)), ...group }),
).meta({ id: 'Run' })

export const workstreamSchema = schemaFor<WorkstreamRecord>()(
  z.strictObject({
    kind: z.literal('workstream'),
    workstream_id: id,
    run_id: id.nullable(),
    state: z.enum(statesOf(workstreamMachine)),
    ...group,
  }),
).meta({ id: 'Workstream' })
