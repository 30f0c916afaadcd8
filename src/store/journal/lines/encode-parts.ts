import { type JobPart, placeInChange } from '../../../core/aggregate.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../../core/job/record.ts'
import { must } from '../../../core/must.ts'
import { isUsual, USUAL_JOB, USUAL_ROW, USUAL_STEP } from '../../usual-fields.ts'
import type { JobLine } from './encode-job.ts'
import { constant, type LineBytes } from './line-bytes.ts'
import { type LineFacts, lastState, type Refs, usualAfter, usualJob, usualRow, usualStep } from './usual.ts'
import { type Fields, UsualShape } from './usual-shape.ts'
import { nameOf, type Told, writeJobFields, writeStepFields } from './write-fields.ts'

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
  const start = into.size
  if (part.kind === 'job') {
    const usual = usualJob(usualJobs.like(part), facts) as JobRecord
    writeJobFields(part, usual, usual, into)
  } else if (part.kind === 'step') {
    const { step_id, service } = part
    const usual = usualStep(usualSteps.like(part), facts, { step_id, service, index, refs }) as StepRecord
    writeStepFields(part, usual, usual, into)
  } else writeRowFields(part, usualRow(usualRows.like(part), facts, part.outbox_id), into)
  close(start, into)
}

/** What the line says of the record at hand: one for all of them, since it is needed for a moment only. */
const told: Told = { state: '', state_since: '', updated_at: '', etag: '' }

function writeChange(part: JobPart, there: JobPart, facts: LineFacts, into: LineBytes): void {
  if (part.kind === 'job') {
    const start = into.size
    writeJobFields(part, there as JobRecord, toldOf(there, facts, ''), into)
    close(start, into)
    return
  }
  const id = part.kind === 'step' ? part.step_id : part.outbox_id
  into.put(part.kind === 'step' ? STEP_ID : OUTBOX_ID)
  into.text(id)
  if (part.kind === 'step') writeStepFields(part, there as StepRecord, toldOf(there, facts, id), into)
  else writeRowFields(part, usualAfter(there, facts, id), into)
  into.byte(CLOSE)
}

function toldOf({ kind, state, state_since }: JobPart, facts: LineFacts, id: string): Told {
  const entered = lastState(facts, kind, id)
  told.state = entered ?? state
  told.state_since = entered === null ? state_since : facts.at
  told.updated_at = facts.at
  told.etag = facts.etag
  return told
}

/** Every field has a comma before it; the first one has what opens the object instead. */
function close(start: number, into: LineBytes): void {
  if (into.size === start) into.byte(OPEN)
  else into.overwrite(start, OPEN)
  into.byte(CLOSE)
}

/** Every field that is not usual, whatever it is called. There are few of these, and few lines that have them. */
function writeRowFields(row: OutboxRecord, usual: object, into: LineBytes): void {
  const fields = row as unknown as Fields
  for (const field in fields) {
    const value = fields[field]
    const expected = (usual as Fields)[field]
    if (value === expected || value === undefined || isUsual(value, expected)) continue
    into.put(nameOf(field))
    into.value(value)
  }
}
