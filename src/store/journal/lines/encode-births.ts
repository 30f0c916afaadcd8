import { type AuditEntry, hopsOf } from '../../../core/audit.ts'
import { Birth, Births, type JobForm } from '../../../core/job/birth.ts'
import { toEpochSeconds } from '../../../core/time.ts'
import { type Mark, type Marks, markedBirth, piecesBetween, WORTH_CUTTING } from '../../birth-marks.ts'
import { BatchBuffer } from '../batch-buffer.ts'
import { writeJobLine } from './encode-job.ts'
import type { LineBytes } from './line-bytes.ts'
import { bytePieces, type Piece } from './line-pieces.ts'

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

interface Pieces {
  /** Of the first job of a commit, and of all that follow it. */
  readonly first: readonly Piece<Slot>[]
  readonly other: readonly Piece<Slot>[]
}

class LineForm {
  readonly places: number
  readonly #form: JobForm
  #lines = 0
  #pieces: Pieces | null = null

  constructor(form: JobForm) {
    this.#form = form
    this.places = hopsOf(form.entry)
  }

  /** Null as long as few lines have been asked for. */
  pieces(): Pieces | null {
    if (this.#pieces !== null || ++this.#lines <= WORTH_CUTTING) return this.#pieces
    this.#pieces = { first: piecesOf(this.#form, true), other: piecesOf(this.#form, false) }
    return this.#pieces
  }
}

const forms = new WeakMap<JobForm, LineForm>()

/** Writes a line for each, as they are written: under an etag. Answers how many places in the log they take. */
export function encodeBirths(births: readonly Birth[], first: number, into: BatchBuffer): number {
  let seq = first
  for (const birth of births) {
    const form = formOf(birth.form)
    const pieces = form.pieces()
    if (pieces === null) writeAsEveryLine(birth, seq, first, into)
    else writePieces(seq === first ? pieces.first : pieces.other, birth, seq, first, into)
    seq += form.places
  }
  return seq - first
}

function writePieces(
  pieces: readonly Piece<Slot>[],
  birth: Birth,
  seq: number,
  first: number,
  into: BatchBuffer,
): void {
  for (const { before, slot } of pieces) {
    into.put(before)
    if (slot !== null) writeSlot(slot, birth, seq, first, into)
  }
  into.endLine()
}

function writeSlot(slot: Slot, birth: Birth, seq: number, first: number, into: LineBytes): void {
  switch (slot) {
    case 'seq':
      into.number(seq)
      break
    case 'first':
      into.number(first)
      break
    case 'timestamp':
      into.number(toEpochSeconds(birth.now))
      break
    case 'job_id':
      into.text(birth.job_id)
      break
    case 'claim':
      into.text(birth.claim)
      break
    case 'key':
      into.value(birth.idempotency_key)
      break
    case 'hash':
      into.text(birth.idempotency_hash)
      break
    case 'input':
      into.value(birth.input_ref)
      break
    case 'output':
      into.value(birth.output_ref)
      break
    case 'payload':
      into.value(birth.payload)
      break
    case 'rank':
      into.number(birth.ready.rank)
      break
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

function piecesOf(form: JobForm, isFirst: boolean): readonly Piece<Slot>[] {
  const plain = lineOf(new Birth(form, form.command, '', 0), 0, 0)
  return bytePieces(
    piecesBetween<Slot>(plain, (marks) => {
      const birth = markedBirth(form, marks)
      return {
        slots: slotsOf(birth, marks, isFirst),
        text: () => lineOf(birth, marks.seq, isFirst ? marks.seq : marks.first),
      }
    }),
  )
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
  const { idempotency_key, idempotency_hash, input_ref, output_ref, payload, ready } = birth
  const slots: Mark<Slot>[] = [
    ['seq', String(marks.seq)],
    ['timestamp', String(toEpochSeconds(marks.now))],
    ['job_id', JSON.stringify(birth.job_id)],
    ['claim', JSON.stringify(birth.claim)],
    ['hash', JSON.stringify(idempotency_hash)],
    ['input', JSON.stringify(input_ref)],
    ['output', JSON.stringify(output_ref)],
    ['payload', JSON.stringify(payload)],
    ['rank', String(ready.rank)],
  ]
  if (idempotency_key !== null) slots.push(['key', JSON.stringify(idempotency_key)])
  if (!isFirst) slots.push(['first', String(marks.first)])
  return slots
}
