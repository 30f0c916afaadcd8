import type { AuditEntry } from '../../../core/audit.ts'
import type { Leg } from '../../../core/job/leg.ts'
import { type Alike, jobSinceOf, Stride } from '../../../core/job/stride.ts'
import { toEpochSeconds, toIso } from '../../../core/time.ts'
import { type Mark, type Marks, markedBirth, piecesBetween, WORTH_CUTTING } from '../../birth-marks.ts'
import { BatchBuffer } from '../batch-buffer.ts'
import { writeJobLine } from './encode-job.ts'
import type { LineBytes } from './line-bytes.ts'
import { bytePieces, type Piece } from './line-pieces.ts'

/** What is different from line to line. */
type Slot =
  | 'seq'
  | 'timestamp'
  | 'job_id'
  | 'lease'
  | 'output'
  | 'at'
  | 'due'
  | 'rank'
  | 'stepDuration'
  | 'jobDuration'

class LineForm {
  #lines = 0
  #pieces: readonly Piece<Slot>[] | null = null

  /** Null as long as few lines have been asked for. */
  pieces(stride: Stride): readonly Piece<Slot>[] | null {
    if (this.#pieces !== null || ++this.#lines <= WORTH_CUTTING) return this.#pieces
    this.#pieces = piecesOf(stride)
    return this.#pieces
  }
}

const forms = new WeakMap<Leg, LineForm>()

/** Writes the line of a stride, as it is written: under an etag. Nobody waits for its signals. */
export function encodeStride(stride: Stride, seq: number, into: BatchBuffer): void {
  const pieces = formOf(stride.leg).pieces(stride)
  if (pieces === null) {
    writeAsEveryLine(stride, seq, into)
    return
  }
  for (const { before, slot } of pieces) {
    into.put(before)
    if (slot !== null) writeSlot(slot, stride, seq, into)
  }
  into.endLine()
}

function writeSlot(slot: Slot, stride: Stride, seq: number, into: LineBytes): void {
  switch (slot) {
    case 'seq':
      into.number(seq)
      break
    case 'timestamp':
      into.number(toEpochSeconds(stride.now))
      break
    case 'job_id':
      into.text(stride.job_id)
      break
    case 'lease':
      into.text(stride.lease_id)
      break
    case 'output':
      into.value(stride.output)
      break
    case 'at':
      into.text(toIso(stride.now))
      break
    case 'due':
      into.text(stride.due_at as string)
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

function formOf(leg: Leg): LineForm {
  let known = forms.get(leg)
  if (known === undefined) {
    known = new LineForm()
    forms.set(leg, known)
  }
  return known
}

function writeAsEveryLine(stride: Stride, seq: number, into: BatchBuffer): void {
  const { before, step, job, claims, slots } = stride
  const entries = stride.audit as readonly [AuditEntry, ...AuditEntry[]]
  const devices = { claims, slots, signals: NO_SIGNALS }
  writeJobLine({ seq, first: seq, entries, nths: undefined, parts: [step, job], before, devices }, into)
}

const NO_SIGNALS: readonly never[] = Object.freeze([])

/** The line of one that went the same way, and has marks for whatever is its own. */
function piecesOf(like: Stride): readonly Piece<Slot>[] {
  return bytePieces(
    piecesBetween<Slot>(lineOf(like, 0), (marks) => {
      const stride = marked(like, marks) as Stride
      const line = lineOf(stride, marks.seq)
      return { slots: slotsOf(stride, marks).filter(([, text]) => line.includes(text)), text: () => line }
    }),
  )
}

/** Up to where it is ended. */
function lineOf(stride: Stride, seq: number): string {
  const buffer = new BatchBuffer(seq)
  writeAsEveryLine(stride, seq, buffer)
  const line = buffer.bytes.toString('utf8', 0, buffer.size)
  return line.slice(0, line.lastIndexOf(',"batch":['))
}

function marked(alike: Alike, marks: Marks, nth = 0): Alike {
  const made = alike instanceof Stride ? markedStride(alike, marks, nth) : markedBirth(alike.form, marks)
  made.written(String(marks.seq))
  return made
}

function markedStride({ leg, before, output }: Stride, marks: Marks, nth: number): Stride {
  const last = marked(before, marks, nth + 1)
  // No time between two strides of a job is another's.
  const now = last.now + (nth + 1) * marks.spanMs
  const lease = leg.type === 'claimStep' ? `${marks.text}lease${nth}` : (last as Stride).lease_id
  return new Stride(leg, last, now, lease, output === null ? null : `${marks.text}out${nth}`)
}

/** As they stand in the line, where it has them. */
function slotsOf(stride: Stride, { seq }: Marks): readonly Mark<Slot>[] {
  const { now, job_id, lease_id, output, due_at, before, stepSince, birth } = stride
  const stepDuration = String(toEpochSeconds(now - stepSince))
  const jobDuration = String(toEpochSeconds(now - jobSinceOf(before)))
  const slots: Mark<Slot>[] = [
    ['seq', String(seq)],
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
