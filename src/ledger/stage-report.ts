import { z } from 'zod'
import type { StageReport } from '../core/job/commands.ts'
import type { Json } from '../core/json.ts'
import { frozenJson, frozenObject } from './check-input.ts'
import { parseStepError } from './checked-result.ts'
import { idSchema, inputErrorOf } from './envelope.ts'
import { keptMetadata, requestMetadata } from './kept-metadata.ts'
import type { Redact } from './redact.ts'

/** A step's id across the ledger is `job/step`. */
const stage = idSchema.regex(/^[^/]+$/, 'must not contain a slash')
const count = z.number().int().nonnegative().nullable()
/** Checked where errors are. */
const error = z.unknown()
const metadata = z.record(z.string(), z.unknown())

const reportSchema = z.discriminatedUnion('what', [
  z.strictObject({ what: z.literal('prepared'), pipeline_name: idSchema, metadata }),
  z.strictObject({ what: z.literal('attempted') }),
  z.strictObject({ what: z.literal('started'), stage }),
  z.strictObject({ what: z.literal('retried'), stage, error }),
  z.strictObject({
    what: z.literal('succeeded'),
    stage,
    attempts: count,
    output_count: count,
    duration_ms: z.number().nonnegative().nullable(),
    output: z.unknown(),
  }),
  z.strictObject({ what: z.literal('failed'), stage: stage.nullable(), error }),
  z.strictObject({ what: z.literal('completed'), metadata }),
])

/** A report as it is stored: what it says is copied, and errors and metadata are without secrets. */
export function parseStageReport(report: StageReport, redact: Redact): StageReport {
  const parsed = reportSchema.safeParse(report)
  if (!parsed.success) throw inputErrorOf(parsed.error)
  switch (report.what) {
    case 'retried':
      return { ...report, error: report.error === null ? null : parseStepError(report.error, redact) }
    case 'failed':
      return { ...report, error: parseStepError(report.error, redact) }
    case 'prepared':
      return { ...report, metadata: requestMetadata(frozenObject('metadata', report.metadata), redact) }
    case 'completed':
      return { ...report, metadata: keptMetadata(report.metadata, redact) }
    case 'succeeded':
      return { ...report, output: frozenJson('output', report.output) as Json }
    default:
      return { ...report }
  }
}
