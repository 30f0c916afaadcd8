// A job as its row has it. What it was when it was new is written once; what differs from that by now is written with
// every change, so that a change is short however large the request was.
import type { JobAggregate } from '../../core/aggregate.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../core/job/record.ts'
import { USUAL_JOB, USUAL_STEP } from '../usual-fields.ts'
import { jobText, stepText } from './record-text.ts'
import type { JobRow } from './tables.ts'

type Fields = { [field: string]: unknown }

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
  let text = `{"job":${jobText(job, USUAL_JOB)},"steps":[`
  const usual = usualStepOf(job)
  for (let index = 0; index < steps.length; index++) {
    if (index > 0) text += ','
    text += stepText(steps[index] as StepRecord, usual)
  }
  return `${text}]}`
}

/** Null when nothing differs. */
export function encodeMoving({ job, steps, outbox }: JobAggregate, born: BornJob): string | null {
  let text = ''
  if (job !== born.job) text = `"job":${jobText(job, born.job)}`
  let changed = ''
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] as StepRecord
    const then = born.steps[index]
    if (step === then) continue
    const fields = then === undefined ? JSON.stringify(step) : stepText(step, then)
    changed += `${changed === '' ? '' : ','}"${index}":${fields}`
  }
  if (changed !== '') text += `${text === '' ? '' : ','}"steps":{${changed}}`
  if (outbox.length > 0) text += `${text === '' ? '' : ','}"outbox":${JSON.stringify(outbox)}`
  return text === '' ? null : `{${text}}`
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
  return { ...usualStepOf(job), kind: 'step', ...step } as unknown as StepRecord
}

/** What a step says only if it says something else. */
function usualStepOf(job: JobRecord): Partial<StepRecord> {
  const { tenant_id, job_id, state_since, created_at, updated_at, input_ref, output_ref, etag } = job
  return {
    ...USUAL_STEP,
    tenant_id,
    job_id,
    state_since,
    created_at,
    updated_at,
    input_ref,
    output_ref,
    etag,
  }
}

function laidOver(
  steps: readonly StepRecord[],
  changed: { readonly [index: string]: Fields },
): readonly StepRecord[] {
  const all = steps.slice()
  for (const index in changed) all[Number(index)] = { ...all[Number(index)], ...changed[index] } as StepRecord
  return all
}
