import type { AuditEntry } from '../../../core/audit.ts'
import { jobSinceOf, type Stride } from '../../../core/job/stride.ts'
import { toEpochSeconds, toIso } from '../../../core/time.ts'
import { type Mark, markedStride } from '../../birth-marks.ts'
import type { BatchBuffer } from '../batch-buffer.ts'
import { AlikeLines, type LineKind, type Written } from './alike-lines.ts'
import { writeJobLine } from './encode-job.ts'
import type { LineBytes } from './line-bytes.ts'

/** What is different from line to line. */
type Slot =
  | 'timestamp'
  | 'job_id'
  | 'lease'
  | 'output'
  | 'at'
  | 'due'
  | 'rank'
  | 'stepDuration'
  | 'jobDuration'

const STRIDES: LineKind<Stride, Slot> = {
  formOf: ({ leg }) => leg,
  write: writeAsEveryLine,
  marked: (like, marks, etag) => {
    const one = markedStride(like, marks)
    one.written(etag)
    return { one, slots: slotsOf(one) }
  },
  writeSlot,
  shared: [
    { slots: ['timestamp', 'at', 'due'], isSame: (model, stride) => model.now === stride.now },
    {
      slots: ['rank'],
      isSame: (model, stride) => model.birth.ready.rank === stride.birth.ready.rank,
    },
  ],
}

const lines = new AlikeLines(STRIDES)

/** Writes the line of a stride, as it is written: under an etag. Nobody waits for its signals. */
export function encodeStride(one: Stride, seq: number, into: BatchBuffer): void {
  lines.write({ one, seq, first: seq }, into)
}

function writeAsEveryLine({ one: stride, seq, first }: Written<Stride>, into: BatchBuffer): void {
  const { before, step, job, claims, slots } = stride
  const entries = stride.audit as readonly [AuditEntry, ...AuditEntry[]]
  const devices = { claims, slots, signals: NO_SIGNALS }
  writeJobLine({ seq, first, entries, nths: undefined, parts: [step, job], before, devices }, into)
}

const NO_SIGNALS: readonly never[] = Object.freeze([])

function writeSlot(slot: Slot, stride: Stride, into: LineBytes): void {
  switch (slot) {
    case 'timestamp':
      into.number(toEpochSeconds(stride.now))
      break
    case 'job_id':
      into.plainText(stride.job_id)
      break
    case 'lease':
      into.plainText(stride.lease_id)
      break
    case 'output':
      into.value(stride.output)
      break
    case 'at':
      into.plainText(toIso(stride.now))
      break
    case 'due':
      into.plainText(stride.due_at as string)
      break
    case 'rank':
      into.number(stride.birth.ready.rank)
      break
    case 'stepDuration':
      into.number(toEpochSeconds(stride.now - stride.stepSince))
      break
    case 'jobDuration':
      into.number(toEpochSeconds(stride.now - jobSinceOf(stride.before)))
      break
  }
}

/** As they stand in the line, where it has them. */
function slotsOf(stride: Stride): readonly Mark<Slot>[] {
  const { now, job_id, lease_id, output, due_at, before, stepSince, birth } = stride
  const stepDuration = String(toEpochSeconds(now - stepSince))
  const jobDuration = String(toEpochSeconds(now - jobSinceOf(before)))
  const slots: Mark<Slot>[] = [
    ['timestamp', String(toEpochSeconds(now))],
    ['job_id', JSON.stringify(job_id)],
    ['lease', JSON.stringify(lease_id)],
    ['at', JSON.stringify(toIso(now))],
    ['rank', String(birth.ready.rank)],
    ['stepDuration', stepDuration],
  ]
  if (jobDuration !== stepDuration) slots.push(['jobDuration', jobDuration])
  if (due_at !== null) slots.push(['due', JSON.stringify(due_at)])
  if (output !== null) slots.push(['output', JSON.stringify(output)])
  return slots
}
