import { z } from 'zod'
import { RADAR_BY, type Radar, type RadarCell, type RadarRow } from '../../../core/radar/radar.ts'
import { at, count, id } from './field-schemas.ts'
import { schemaFor } from './schema-for.ts'

const cellSchema = schemaFor<RadarCell>()(
  z.strictObject({
    stage: z.string(),
    stage_index: count,
    waiting: count.describe('Jobs whose stage nobody has begun with'),
    running: count.describe('Jobs whose stage a worker or service has'),
    retrying: count.describe('Jobs whose stage failed and is to be tried again'),
    oldest_since: at.nullable().describe('Since when the job stands there that stands there for longest'),
    oldest_job_id: id.nullable(),
    stuck: count.describe('Jobs that stand there for longer than they should'),
    stuck_after_seconds: z.number().nullable().describe('When that is; null when no job is there'),
    passed: count.describe('Jobs that ended lately and had got past it'),
    failed: count.describe('Jobs that ended lately because they failed there'),
  }),
).meta({ id: 'RadarCell' })

const rowSchema = schemaFor<RadarRow>()(
  z.strictObject({
    tenant_id: id,
    row: z.string().describe('The pipeline, or the protocol of jobs that go through none; or the workstream'),
    filter: z
      .strictObject({
        protocol_id: id.exactOptional(),
        pipeline_name: id.exactOptional(),
        workstream_id: id.exactOptional(),
      })
      .describe('What lists of jobs are filtered by to get those of the row'),
    open: count,
    cells: z.array(cellSchema),
  }),
).meta({ id: 'RadarRow' })

export const radarSchema = schemaFor<Radar>()(
  z.strictObject({
    by: z.enum(RADAR_BY),
    as_of: at,
    ended_from: at,
    is_more: z.boolean().describe('There was more than one look takes in: the counts are of a part'),
    rows: z.array(rowSchema),
  }),
).meta({ id: 'Radar' })
