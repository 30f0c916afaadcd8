import type { AuditEntry } from '../../../core/audit.ts'
import type { Leg } from '../../../core/job/leg.ts'
import { type Alike, jobSinceOf, Stride } from '../../../core/job/stride.ts'
import { toEpochSeconds, toIso } from '../../../core/time.ts'
import {
  filledIn,
  type Mark,
  type Marks,
  markedBirth,
  piecesBetween,
  type TextPiece,
  WORTH_CUTTING,
} from '../../birth-marks.ts'
import { BatchBuffer } from '../batch-buffer.ts'
import { writeJobLine } from './encode-job.ts'

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

/** What is the same in all that come in the same millisecond. */
type OfMoment = 'timestamp' | 'at' | 'due'

type Pieces = readonly TextPiece<Slot>[]

class LineForm {
  #lines = 0
  #pieces: Pieces | null = null
  #now: number | null = null
  #ofMoment: Pieces = []

  /** Null as long as few lines have been asked for. */
  pieces(stride: Stride): Pieces | null {
    if (this.#pieces === null) {
      if (++this.#lines <= WORTH_CUTTING) return null
      this.#pieces = piecesOf(stride)
    }
    const { now, due_at } = stride
    if (this.#now !== now) {
      const moment = {
        timestamp: String(toEpochSeconds(now)),
        at: `"${toIso(now)}"`,
        due: JSON.stringify(due_at),
      }
      this.#ofMoment = filledIn<Slot, OfMoment>(this.#pieces, moment)
      this.#now = now
    }
    return this.#ofMoment
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
  let text = ''
  for (const { before, slot } of pieces) {
    text += before
    if (slot !== null) text += ownText(slot, stride, seq)
  }
  into.addText(text)
}

function ownText(slot: Slot, stride: Stride, seq: number): string {
  switch (slot) {
    case 'seq':
      return String(seq)
    case 'job_id':
      return `"${stride.job_id}"`
    case 'lease':
      return `"${stride.lease_id}"`
    case 'output':
      return JSON.stringify(stride.output)
    case 'rank':
      return String(stride.birth.ready.rank)
    case 'stepDuration':
      return secondsText(stride.now - stride.stepSince)
    case 'jobDuration':
      return secondsText(stride.now - jobSinceOf(stride.before))
    default:
      throw new Error(`what all of a moment have in common is in the pieces: ${slot}`)
  }
}

/** Most take a moment, and numbers with a point take long to write. */
const shortTexts: string[] = []
const LONGEST_SHORT_MS = 10_000

function secondsText(ms: number): string {
  if (ms < 0 || ms > LONGEST_SHORT_MS) return String(toEpochSeconds(ms))
  shortTexts[ms] ??= String(toEpochSeconds(ms))
  return shortTexts[ms]
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
function piecesOf(like: Stride): Pieces {
  return piecesBetween<Slot>(lineOf(like, 0), (marks) => {
    const stride = marked(like, marks) as Stride
    const line = lineOf(stride, marks.seq)
    return { slots: slotsOf(stride, marks).filter(([, text]) => line.includes(text)), text: () => line }
  })
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
