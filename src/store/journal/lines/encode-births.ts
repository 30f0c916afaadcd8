import { type AuditEntry, hopsOf } from '../../../core/audit.ts'
import { Birth, Births, type JobForm } from '../../../core/job/birth.ts'
import { toEpochSeconds } from '../../../core/time.ts'
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
  | 'first'
  | 'timestamp'
  | 'job_id'
  | 'claim'
  | 'key'
  | 'hash'
  | 'input'
  | 'output'
  | 'payload'
  | 'rank'

/** What is the same in all that come in the same millisecond. */
type OfMoment = 'timestamp' | 'rank'

type Pieces = readonly TextPiece<Slot>[]

class LineForm {
  readonly places: number
  readonly #form: JobForm
  #lines = 0
  /** Of the first job of a commit, and of all that follow it. */
  #first: Pieces | null = null
  #other: Pieces = []
  #now: number | null = null
  #firstNow: Pieces = []
  #otherNow: Pieces = []

  constructor(form: JobForm) {
    this.#form = form
    this.places = hopsOf(form.entry)
  }

  /** Null as long as few lines have been asked for. */
  pieces({ now, ready }: Birth, isFirst: boolean): Pieces | null {
    if (this.#first === null) {
      if (++this.#lines <= WORTH_CUTTING) return null
      this.#first = piecesOf(this.#form, true)
      this.#other = piecesOf(this.#form, false)
    }
    if (this.#now !== now) {
      const moment = { timestamp: String(toEpochSeconds(now)), rank: String(ready.rank) }
      this.#firstNow = filledIn<Slot, OfMoment>(this.#first, moment)
      this.#otherNow = filledIn<Slot, OfMoment>(this.#other, moment)
      this.#now = now
    }
    return isFirst ? this.#firstNow : this.#otherNow
  }
}

const forms = new WeakMap<JobForm, LineForm>()

/** Writes a line for each, as they are written: under an etag. Answers how many places in the log they take. */
export function encodeBirths(births: readonly Birth[], first: number, into: BatchBuffer): number {
  let seq = first
  for (const birth of births) {
    const form = formOf(birth.form)
    const pieces = form.pieces(birth, seq === first)
    if (pieces === null) writeAsEveryLine(birth, seq, first, into)
    else into.addText(lineFrom(pieces, birth, seq, first))
    seq += form.places
  }
  return seq - first
}

function lineFrom(pieces: Pieces, birth: Birth, seq: number, first: number): string {
  let text = ''
  for (const { before, slot } of pieces) {
    text += before
    if (slot !== null) text += ownText(slot, birth, seq, first)
  }
  return text
}

function ownText(slot: Slot, birth: Birth, seq: number, first: number): string {
  switch (slot) {
    case 'seq':
      return String(seq)
    case 'first':
      return String(first)
    case 'job_id':
      return `"${birth.job_id}"`
    case 'claim':
      return birth.idempotency_key === null ? `"${birth.claim}"` : JSON.stringify(birth.claim)
    case 'key':
      return JSON.stringify(birth.idempotency_key)
    case 'hash':
      return `"${birth.idempotency_hash}"`
    case 'input':
      return JSON.stringify(birth.input_ref)
    case 'output':
      return JSON.stringify(birth.output_ref)
    case 'payload':
      return birth.payloadText
    default:
      throw new Error(`what all of a moment have in common is in the pieces: ${slot}`)
  }
}

function formOf(form: JobForm): LineForm {
  let known = forms.get(form)
  if (known === undefined) {
    known = new LineForm(form)
    forms.set(form, known)
  }
  return known
}

function piecesOf(form: JobForm, isFirst: boolean): Pieces {
  const plain = lineOf(new Birth(form, form.command, '', 0), 0, 0)
  return piecesBetween<Slot>(plain, (marks) => {
    const birth = markedBirth(form, marks)
    return {
      slots: slotsOf(birth, marks, isFirst),
      text: () => lineOf(birth, marks.seq, isFirst ? marks.seq : marks.first),
    }
  })
}

function writeAsEveryLine(birth: Birth, seq: number, first: number, into: BatchBuffer): void {
  const { claims, slots, signals, audit } = new Births([birth])
  const parts = [...birth.steps, birth.job]
  const entries = audit as readonly [AuditEntry]
  const devices = { claims, slots, signals }
  writeJobLine({ seq, first, entries, nths: undefined, parts, before: null, devices }, into)
}

/** Up to where it is ended. */
function lineOf(birth: Birth, seq: number, first: number): string {
  birth.written(String(first))
  const buffer = new BatchBuffer(seq)
  writeAsEveryLine(birth, seq, first, buffer)
  const line = buffer.bytes.toString('utf8', 0, buffer.size)
  return line.slice(0, line.lastIndexOf(',"batch":['))
}

/** As they stand in the line. */
function slotsOf(birth: Birth, marks: Marks, isFirst: boolean): readonly Mark<Slot>[] {
  const { idempotency_key, idempotency_hash, input_ref, output_ref, payloadText, ready } = birth
  const slots: Mark<Slot>[] = [
    ['seq', String(marks.seq)],
    ['timestamp', String(toEpochSeconds(marks.now))],
    ['job_id', JSON.stringify(birth.job_id)],
    ['claim', JSON.stringify(birth.claim)],
    ['hash', JSON.stringify(idempotency_hash)],
    ['input', JSON.stringify(input_ref)],
    ['output', JSON.stringify(output_ref)],
    ['payload', payloadText],
    ['rank', String(ready.rank)],
  ]
  if (idempotency_key !== null) slots.push(['key', JSON.stringify(idempotency_key)])
  if (!isFirst) slots.push(['first', String(marks.first)])
  return slots
}
