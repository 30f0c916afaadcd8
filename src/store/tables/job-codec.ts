// A job as its row has it. What it was when it was new is written once; what differs from that by now is written with
// every change, so that a change is short however large the request was.
import type { JobAggregate } from '../../core/aggregate.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../core/job/record.ts'
import { isUsual, USUAL_JOB, USUAL_STEP } from '../usual-fields.ts'
import type { JobRow } from './tables.ts'

type Fields = { [field: string]: unknown }

/** What a step says only if its job says something else. */
const AS_ITS_JOB = [
  'tenant_id',
  'job_id',
  'state_since',
  'created_at',
  'updated_at',
  'input_ref',
  'output_ref',
  'etag',
] as const

interface FixedText {
  readonly job: Fields
  readonly steps: readonly Fields[]
}

interface MovingText {
  readonly job?: Fields
  readonly steps?: { readonly [index: string]: Fields }
  readonly outbox?: readonly OutboxRecord[]
}

/** A job as it is, and as it was when it was new: what is written later is told apart from that. */
export interface DecodedJob {
  readonly aggregate: JobAggregate
  readonly born: BornJob
}

export interface BornJob {
  readonly job: JobRecord
  readonly steps: readonly StepRecord[]
}

export function encodeBorn({ job, steps }: BornJob): string {
  const ofJob = job as unknown as Fields
  return JSON.stringify({
    job: unusual(ofJob, USUAL_JOB),
    steps: steps.map((step) => unusualStep(step as unknown as Fields, ofJob)),
  })
}

/** Null when nothing differs. */
export function encodeMoving({ job, steps, outbox }: JobAggregate, born: BornJob): string | null {
  const moved: { -readonly [K in keyof MovingText]: MovingText[K] } = {}
  if (job !== born.job) moved.job = difference(job as unknown as Fields, born.job as unknown as Fields)
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index]
    const then = born.steps[index]
    if (step === then) continue
    moved.steps ??= {}
    ;(moved.steps as { [index: string]: Fields })[index] =
      then === undefined
        ? (step as unknown as Fields)
        : difference(step as unknown as Fields, then as unknown as Fields)
  }
  if (outbox.length > 0) moved.outbox = outbox
  for (const _ in moved) return JSON.stringify(moved)
  return null
}

export function decodeJob({ fixed, moving }: Pick<JobRow, 'fixed' | 'moving'>): DecodedJob {
  const born = decodeBorn(JSON.parse(fixed))
  if (moving === null) return { aggregate: { ...born, outbox: [] }, born }
  const { job, steps, outbox = [] } = JSON.parse(moving) as MovingText
  return {
    born,
    aggregate: {
      job: job === undefined ? born.job : { ...born.job, ...job },
      steps: steps === undefined ? born.steps : laidOver(born.steps, steps),
      outbox,
    },
  }
}

function decodeBorn({ job, steps }: FixedText): BornJob {
  const whole = { ...USUAL_JOB, kind: 'job', ...job } as unknown as JobRecord
  return { job: whole, steps: steps.map((step) => decodeStep(step, whole)) }
}

function decodeStep(step: Fields, job: JobRecord): StepRecord {
  const { tenant_id, job_id, state_since, created_at, updated_at, input_ref, output_ref, etag } = job
  return {
    ...USUAL_STEP,
    kind: 'step',
    tenant_id,
    job_id,
    state_since,
    created_at,
    updated_at,
    input_ref,
    output_ref,
    etag,
    ...step,
  } as unknown as StepRecord
}

function laidOver(
  steps: readonly StepRecord[],
  changed: { readonly [index: string]: Fields },
): readonly StepRecord[] {
  const all = steps.slice()
  for (const index in changed) all[Number(index)] = { ...all[Number(index)], ...changed[index] } as StepRecord
  return all
}

function unusual(record: Fields, usual: Fields): Fields {
  const fields: Fields = {}
  for (const field in record) {
    if (field === 'kind') continue
    const value = record[field]
    if (!(field in usual && isUsual(value, usual[field]))) fields[field] = value
  }
  return fields
}

function unusualStep(step: Fields, job: Fields): Fields {
  const fields = unusual(step, USUAL_STEP)
  for (const field of AS_ITS_JOB) if (fields[field] === job[field]) delete fields[field]
  return fields
}

function difference(record: Fields, before: Fields): Fields {
  const fields: Fields = {}
  for (const field in record) if (record[field] !== before[field]) fields[field] = record[field]
  return fields
}
