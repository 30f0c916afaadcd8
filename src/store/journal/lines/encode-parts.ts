import { type JobPart, placeInChange } from '../../../core/aggregate.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../../core/job/record.ts'
import { must } from '../../../core/must.ts'
import { isUsual, USUAL_JOB, USUAL_ROW, USUAL_STEP } from '../../usual-fields.ts'
import type { JobLine } from './encode-job.ts'
import { constant, type LineBytes } from './line-bytes.ts'
import { type LineFacts, type Refs, usualAfter, usualJob, usualRow, usualStep } from './usual.ts'
import { type Fields, UsualShape } from './usual-shape.ts'

const NEW = constant(',"new":{')
const SET = constant(',"set":{')
const STEPS = constant('"steps":[')
const OUTBOX = constant('"outbox":[')
const JOB = constant('"job":')
const STEP_ID = constant('{"step_id":')
const OUTBOX_ID = constant('{"outbox_id":')
const COMMA = 0x2c
const OPEN = 0x7b
const CLOSE = 0x7d
const NEXT_LIST = constant('],')
const CLOSE_LIST = constant(']}')

type Before = JobLine['before']

/** Records that are new, then those that changed: of each what is not as one would take it to be anyway. */
export function writeParts(
  parts: readonly JobPart[],
  before: Before,
  facts: LineFacts,
  into: LineBytes,
): void {
  mustFollow(parts)
  writeSection(true, parts, before, facts, into)
  if (before !== null) writeSection(false, parts, before, facts, into)
}

/** A list that is written twice in one object would be read as its second half: that would be lost without a word. */
function mustFollow(parts: readonly JobPart[]): void {
  let last = 0
  for (const part of parts) {
    const place = placeInChange(part)
    must(
      place >= last,
      () => `a change has steps, then outbox rows, then the job, and not a ${part.kind} after them`,
    )
    last = place
  }
}

/** Those of a kind follow each other, as they do in every change. */
function writeSection(
  isNew: boolean,
  parts: readonly JobPart[],
  before: Before,
  facts: LineFacts,
  into: LineBytes,
): void {
  let open: JobPart['kind'] | null = null
  let inList = 0
  for (const part of parts) {
    const there = before === null ? null : partIn(before, part)
    if ((there === null) !== isNew) continue
    if (part.kind === open) into.byte(COMMA)
    else {
      if (open === null) into.put(isNew ? NEW : SET)
      else if (open === 'job') into.byte(COMMA)
      else into.put(NEXT_LIST)
      into.put(part.kind === 'step' ? STEPS : part.kind === 'outbox' ? OUTBOX : JOB)
      open = part.kind
      inList = 0
    }
    if (there === null) writeNew(part, inList, before === null ? refsIn(parts) : NO_REFS, facts, into)
    else writeChange(part, there, facts, into)
    inList++
  }
  if (open === 'job') into.byte(CLOSE)
  else if (open !== null) into.put(CLOSE_LIST)
}

/** The record as it was; null when it is new. */
export function partIn({ job, steps, outbox }: Before & object, part: JobPart): JobPart | null {
  if (part.kind === 'job') return job
  if (part.kind === 'step') return steps[part.step_index] ?? null
  return outbox.find((row) => row.outbox_id === part.outbox_id) ?? null
}

const NO_REFS: Refs = {}

/** The job comes last. */
function refsIn(parts: readonly JobPart[]): Refs {
  const last = parts[parts.length - 1]
  return last?.kind === 'job' ? last : NO_REFS
}

const usualJobs = new UsualShape<JobRecord>(USUAL_JOB)
const usualSteps = new UsualShape<StepRecord>(USUAL_STEP)
const usualRows = new UsualShape<OutboxRecord>(USUAL_ROW)

function writeNew(part: JobPart, index: number, refs: Refs, facts: LineFacts, into: LineBytes): void {
  if (part.kind === 'job') writeFields(OPEN, part, usualJob(usualJobs.like(part), facts), into)
  else if (part.kind === 'step') {
    const { step_id, service } = part
    const usual = usualStep(usualSteps.like(part), facts, { step_id, service, index, refs })
    writeFields(OPEN, part, usual, into)
  } else writeFields(OPEN, part, usualRow(usualRows.like(part), facts, part.outbox_id), into)
}

function writeChange(part: JobPart, there: JobPart, facts: LineFacts, into: LineBytes): void {
  if (part.kind === 'job') {
    writeFields(OPEN, part, usualAfter(there, facts, ''), into)
    return
  }
  const id = part.kind === 'step' ? part.step_id : part.outbox_id
  into.put(part.kind === 'step' ? STEP_ID : OUTBOX_ID)
  into.text(id)
  writeFields(COMMA, part, usualAfter(there, facts, id), into)
}

/** Every field that is not usual, whatever it is called: a record may come to have more of them than are known here. */
function writeFields(start: number, record: JobPart, usual: object, into: LineBytes): void {
  let before = start
  const fields = record as unknown as Fields
  for (const field in fields) {
    const value = fields[field]
    const expected = (usual as Fields)[field]
    if (value === expected || value === undefined || isUsual(value, expected)) continue
    into.byte(before)
    into.put(nameOf(field))
    into.value(value)
    before = COMMA
  }
  if (before === OPEN) into.byte(OPEN)
  into.byte(CLOSE)
}

const names = new Map<string, Uint8Array>()

/** There are as many as records have fields. */
function nameOf(field: string): Uint8Array {
  let name = names.get(field)
  if (name === undefined) {
    name = constant(`${JSON.stringify(field)}:`)
    names.set(field, name)
  }
  return name
}
