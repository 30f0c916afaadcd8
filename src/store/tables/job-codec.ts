// A job as its row has it. What it was when it was new is written once; what differs from that by now is written with
// every change, so that a change is short however large the request was.
import type { JobAggregate } from '../../core/aggregate.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../core/job/record.ts'
import { jsonText } from '../../core/json-text.ts'
import { isUsual, USUAL_JOB, USUAL_STEP } from '../usual-fields.ts'
import type { JobRow } from './tables.ts'

type Fields = { [field: string]: unknown }

/** What a step says only if its job says something else. */
const AS_ITS_JOB: ReadonlySet<string> = new Set([
  'tenant_id',
  'job_id',
  'state_since',
  'created_at',
  'updated_at',
  'input_ref',
  'output_ref',
  'etag',
])

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
  let text = `{"job":${unusualText(ofJob, USUAL_JOB, null)},"steps":[`
  for (let index = 0; index < steps.length; index++) {
    if (index > 0) text += ','
    text += unusualText(steps[index] as unknown as Fields, USUAL_STEP, ofJob)
  }
  return `${text}]}`
}

/** Null when nothing differs. */
export function encodeMoving({ job, steps, outbox }: JobAggregate, born: BornJob): string | null {
  let text = ''
  if (job !== born.job) {
    text = `"job":${differenceText(job as unknown as Fields, born.job as unknown as Fields)}`
  }
  let changed = ''
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index]
    const then = born.steps[index]
    if (step === then) continue
    const fields =
      then === undefined
        ? JSON.stringify(step)
        : differenceText(step as unknown as Fields, then as unknown as Fields)
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

/** Without what is usual, and without what is said by the job that the record is part of. */
function unusualText(record: Fields, usual: Fields, job: Fields | null): string {
  // Put together by hand: an object made field by field for each record is several times slower to write.
  let text = ''
  for (const field in record) {
    if (field === 'kind') continue
    const value = record[field]
    const ordinary = usual[field]
    // Nearly always it is the very same; only of objects and lists is it worth a closer look.
    if (value === ordinary || (typeof value === 'object' && isUsual(value, ordinary))) continue
    if (job !== null && value === job[field] && AS_ITS_JOB.has(field)) continue
    text += `${text === '' ? '' : ','}"${field}":${textOf(value)}`
  }
  return `{${text}}`
}

/** What a caller gave was written when it was checked: it is frozen by now, and slow to write. */
function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? jsonText(value) : JSON.stringify(value)
}

function differenceText(record: Fields, before: Fields): string {
  let text = ''
  for (const field in record) {
    const value = record[field]
    if (value !== before[field]) text += `${text === '' ? '' : ','}"${field}":${JSON.stringify(value)}`
  }
  return `{${text}}`
}
