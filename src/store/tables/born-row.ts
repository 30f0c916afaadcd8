import { isAtRest } from '../../core/aggregate.ts'
import { Birth } from '../../core/job/birth.ts'
import type { JobForm } from '../../core/job/job-form.ts'
import { toIso } from '../../core/time.ts'
import {
  CutText,
  joined,
  type Mark,
  type Marks,
  markedBirth,
  piecesBetween,
  type TextPiece,
} from '../birth-marks.ts'
import { encodeBorn } from './job-codec.ts'
import type { NewJob } from './tables.ts'

// The rows of jobs that are alike: what they say is put together from pieces (birth-marks.ts), and nobody makes their records.

/** Every job begins with it. */
export const FIRST_VERSION = 1

/** What is different from job to job, and from moment to moment. */
export type FixedSlot = 'job_id' | 'key' | 'hash' | 'input' | 'output' | 'payload' | 'rank' | 'at'

export type FixedPiece = TextPiece<FixedSlot>

/** The row of a job that is new, and as it was decided for all that are like it. */
export function bornRow(birth: Birth): NewJob {
  const { job_id, now, form } = birth
  const { columns, holds } = rowFormOf(form)
  return {
    tenant_id: form.tenant_id,
    job_id,
    version: FIRST_VERSION,
    holds,
    fixed: fixedOf(birth),
    moving: null,
    isTold: true,
    state: columns.state,
    changed_at: now,
    is_ended: columns.is_ended,
    open_rows: 0,
    request_type: columns.request_type,
    protocol_id: columns.protocol_id,
    doc_id: columns.doc_id,
    run_id: columns.run_id,
    workstream_id: columns.workstream_id,
  }
}

/** Limits under which each of them holds a place. */
export function holdsOf(form: JobForm): readonly string[] {
  return rowFormOf(form).holds
}

/** What `encodeBorn` says of it. */
export function fixedOf(birth: Birth): string {
  const pieces = fixedPieces(birth, 1)
  return pieces === null ? encodeBorn(birth) : joined(pieces, ownText, birth)
}

/** What `encodeBorn` says of all that are born at the same time and alike, of which there are so many; null while there are few. */
export function fixedPieces({ form, now, ready }: Birth, many: number): readonly FixedPiece[] | null {
  const moment = () => ({ at: JSON.stringify(toIso(now)), rank: String(ready.rank) })
  return rowFormOf(form).fixed.pieces(now, moment, many)
}

/** What is its own, as JSON. */
export function ownText(slot: FixedSlot, birth: Birth): string {
  switch (slot) {
    // Ids and hashes that were made here have nothing that would be written otherwise.
    case 'job_id':
      return `"${birth.job_id}"`
    case 'key':
      return JSON.stringify(birth.idempotency_key)
    case 'hash':
      return `"${birth.idempotency_hash}"`
    case 'input':
      return inputs.of(birth.input_ref)
    case 'output':
      return outputs.of(birth.output_ref)
    case 'payload':
      return birth.payloadText
    default:
      throw new Error(`what all of a moment have in common is in the pieces: ${slot}`)
  }
}

/** A reference as JSON: jobs that follow each other mostly have the same. */
class RefText {
  #ref: Birth['input_ref'] = ''
  #text = '""'

  of(ref: Birth['input_ref']): string {
    if (ref !== this.#ref) {
      this.#text = JSON.stringify(ref)
      this.#ref = ref
    }
    return this.#text
  }
}

const inputs = new RefText()
const outputs = new RefText()

class RowForm {
  readonly columns: Pick<
    NewJob,
    'state' | 'is_ended' | 'request_type' | 'protocol_id' | 'doc_id' | 'run_id' | 'workstream_id'
  >
  readonly holds: readonly string[]
  readonly fixed: CutText<FixedSlot, 'at' | 'rank'>

  constructor(form: JobForm) {
    const { state, request_type, protocol_id, doc_id, run_id, workstream_id } = form.job
    const is_ended = isAtRest(form.job)
    this.columns = { state, is_ended, request_type, protocol_id, doc_id, run_id, workstream_id }
    this.holds = Object.freeze([form.slot.key])
    this.fixed = new CutText(() => rawPieces(form))
  }
}

const forms = new WeakMap<JobForm, RowForm>()

function rowFormOf(form: JobForm): RowForm {
  let known = forms.get(form)
  if (known === undefined) {
    known = new RowForm(form)
    forms.set(form, known)
  }
  return known
}

/** What all of a form say, wherever they differ. */
export function rawPieces(form: JobForm): readonly FixedPiece[] {
  const plain = textOf(new Birth(form, form.first, '', 0))
  return piecesBetween<FixedSlot>(plain, (marks) => {
    const birth = markedBirth(form, marks)
    return { slots: slotsOf(birth, marks), text: () => textOf(birth) }
  })
}

function textOf(birth: Birth): string {
  birth.written(String(FIRST_VERSION))
  return encodeBorn(birth)
}

function slotsOf(birth: Birth, { now }: Marks): readonly Mark<FixedSlot>[] {
  const { idempotency_key } = birth
  const slots: Mark<FixedSlot>[] = [
    ['job_id', JSON.stringify(birth.job_id)],
    ['hash', JSON.stringify(birth.idempotency_hash)],
    ['input', JSON.stringify(birth.input_ref)],
    ['output', JSON.stringify(birth.output_ref)],
    ['payload', birth.payloadText],
    ['rank', String(birth.ready.rank)],
    ['at', JSON.stringify(toIso(now))],
  ]
  if (idempotency_key !== null) slots.push(['key', JSON.stringify(idempotency_key)])
  return slots
}
