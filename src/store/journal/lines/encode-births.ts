import { type AuditEntry, hopsOf } from '../../../core/audit.ts'
import { type Birth, Births } from '../../../core/job/birth.ts'
import type { JobForm } from '../../../core/job/job-form.ts'
import { toEpochSeconds } from '../../../core/time.ts'
import { type Mark, type Marks, markedBirth } from '../../birth-marks.ts'
import type { BatchBuffer } from '../batch-buffer.ts'
import { AlikeLines, type LineKind, type Written } from './alike-lines.ts'
import { writeJobLine } from './encode-job.ts'
import type { LineBytes } from './line-bytes.ts'

/** What is different from line to line. */
type Slot = 'timestamp' | 'job_id' | 'key' | 'hash' | 'input' | 'output' | 'payload' | 'rank'

const BIRTHS: LineKind<Birth, Slot> = {
  formOf: ({ form }) => form,
  write: writeAsEveryLine,
  marked: ({ form }, marks, etag) => {
    const one = markedBirth(form, marks)
    one.written(etag)
    return { one, slots: slotsOf(one, marks) }
  },
  writeSlot,
  shared: [
    { slots: ['timestamp', 'rank'], isSame: (model, birth) => model.now === birth.now },
    {
      slots: ['input', 'output'],
      isSame: (model, birth) => model.input_ref === birth.input_ref && model.output_ref === birth.output_ref,
    },
  ],
}

const lines = new AlikeLines(BIRTHS)

/** Writes a line for each, as they are written: under an etag. Answers how many places in the log they take. */
export function encodeBirths(births: readonly Birth[], first: number, into: BatchBuffer): number {
  let seq = first
  for (const one of births) {
    lines.write({ one, seq, first }, into)
    seq += placesOf(one.form)
  }
  return seq - first
}

// Mostly one follows another of the same form.
let lastForm: JobForm | null = null
let lastPlaces = 0

function placesOf(form: JobForm): number {
  if (form !== lastForm) {
    lastForm = form
    lastPlaces = hopsOf(form.entry)
  }
  return lastPlaces
}

function writeAsEveryLine({ one: birth, seq, first }: Written<Birth>, into: BatchBuffer): void {
  const { claims, slots, signals, audit } = new Births([birth])
  const parts = [...birth.steps, birth.job]
  const entries = audit as readonly [AuditEntry]
  const devices = { claims, slots, signals }
  writeJobLine({ seq, first, entries, nths: undefined, parts, before: null, devices }, into)
}

function writeSlot(slot: Slot, birth: Birth, into: LineBytes): void {
  switch (slot) {
    case 'timestamp':
      into.number(toEpochSeconds(birth.now))
      break
    case 'job_id':
      into.plainText(birth.job_id)
      break
    case 'key':
      into.text(birth.idempotency_key as string)
      break
    case 'hash':
      into.plainText(birth.idempotency_hash)
      break
    case 'input':
      into.value(birth.input_ref)
      break
    case 'output':
      into.value(birth.output_ref)
      break
    case 'payload':
      into.json(birth.payloadText)
      break
    case 'rank':
      into.number(birth.ready.rank)
      break
  }
}

/** As they stand in the line. */
function slotsOf(birth: Birth, { now }: Marks): readonly Mark<Slot>[] {
  const { idempotency_key, idempotency_hash, input_ref, output_ref, payloadText, ready } = birth
  const slots: Mark<Slot>[] = [
    ['timestamp', String(toEpochSeconds(now))],
    ['job_id', JSON.stringify(birth.job_id)],
    ['hash', JSON.stringify(idempotency_hash)],
    ['input', JSON.stringify(input_ref)],
    ['output', JSON.stringify(output_ref)],
    ['payload', payloadText],
    ['rank', String(ready.rank)],
  ]
  if (idempotency_key !== null) slots.push(['key', JSON.stringify(idempotency_key)])
  return slots
}
