import type { JobAggregate } from '../../core/aggregate.ts'
import { idempotencyClaim } from '../../core/idempotency.ts'
import { Birth } from '../../core/job/birth.ts'
import { JobForm } from '../../core/job/job-form.ts'
import type { Ref } from '../../core/job/record.ts'
import { type Json, sameJson } from '../../core/json.ts'
import type { ReadyHead } from '../../core/pick.ts'
import { fromIso, toIso } from '../../core/time.ts'
import { FIRST_VERSION, type FixedPiece, type FixedSlot, rawPieces } from './born-row.ts'
import { decodeJob } from './job-codec.ts'
import type { JobRow } from './tables.ts'

// Jobs that were submitted by others, or long ago, are mostly alike, too. The rows of those that are new differ in a few places,
// as when they are written (born-row.ts): so a row is held against the pieces of the last ones that were read, and what stands
// between them is what is the job's own. Nobody makes its records to find out where it is ready, or to have it go on as others did.

/** A job that may wait for its turn, as it was read: as what is its own, or as its row. */
export type Waiting = Birth | JobRow

/** As it is shown to whoever takes work; null when it is not ready. */
export function headOfWaiting(waiting: Waiting): ReadyHead | null {
  const { tenant_id, job_id: id } = waiting
  const { ready } = waiting instanceof Birth ? waiting : decodeJob(waiting).aggregate.job
  return ready === null ? null : { key: { kind: 'job', tenant_id, id }, ready }
}

/** More forms than there are of jobs that are submitted at one time. */
const MOST_FORMS = 16

const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** `"2026-11-19T15:01:26.419Z"` */
const TIME_LENGTH = 26

/** The jobs of rows that are as they were when they were new, by what they have in common. */
export class ReadBirths {
  /** The last one that was met comes first. */
  #forms: ReadForm[] = []

  of(row: JobRow): Waiting {
    return this.#birthOf(row) ?? row
  }

  /** Null when it is not new, or like nothing else. */
  #birthOf(row: JobRow): Birth | null {
    if (row.version !== FIRST_VERSION || row.moving !== null || row.holds.length !== 1) return null
    for (const [nth, form] of this.#forms.entries()) {
      const birth = form.read(row)
      if (birth === null) continue
      if (nth > 0) this.#forms = [form, ...this.#forms.filter((one) => one !== form)]
      return birth
    }
    const form = ReadForm.of(row)
    if (form === null) return null
    this.#forms = [form, ...this.#forms].slice(0, MOST_FORMS)
    return form.read(row)
  }
}

type Own = { -readonly [slot in FixedSlot]?: string }

/** What rows have in common, and where they differ. */
class ReadForm {
  readonly #form: JobForm
  readonly #tenant_id: string
  readonly #limit: string
  readonly #pieces: readonly FixedPiece[]
  /** Which of the pieces comes before the payload, which may say anything. */
  readonly #payload: number

  private constructor(form: JobForm, pieces: readonly FixedPiece[]) {
    this.#form = form
    this.#tenant_id = form.tenant_id
    this.#limit = form.slot.key
    this.#pieces = pieces
    this.#payload = pieces.findIndex(({ slot }) => slot === 'payload')
  }

  /** Null when what the row says is not told apart from what others say in this way. */
  static of(row: JobRow): ReadForm | null {
    const { aggregate } = decodeJob(row)
    const { tenant_id, job_id: owner, holds } = row
    const slot = { tenant_id, key: holds[0] as string, verb: 'take', owner, max: 0 } as const
    const form = JobForm.ofRead(aggregate, slot)
    if (form === null) return null
    const read = new ReadForm(form, rawPieces(form))
    const birth = read.read(row)
    return birth !== null && isSame(birth, aggregate) ? read : null
  }

  read({ tenant_id, job_id, holds, fixed }: JobRow): Birth | null {
    if (tenant_id !== this.#tenant_id || holds[0] !== this.#limit) return null
    const own: Own = {}
    const start = this.#readUpTo(fixed, own)
    const end = start === -1 ? -1 : this.#readDownTo(fixed, own)
    if (end <= start) return null
    const { hash, key, input, output, at, rank } = own
    if (own.job_id !== JSON.stringify(job_id) || hash === undefined || at === undefined) return null
    const payloadText = fixed.slice(start, end)
    if (!isJson(payloadText)) return null
    const idempotency_key = key === undefined ? null : (JSON.parse(key) as string)
    const idempotency_hash = JSON.parse(hash) as string
    const birth = new Birth(
      this.#form,
      {
        job_id,
        idempotency_key,
        idempotency_hash,
        input_ref: JSON.parse(input as string) as Ref & Json,
        output_ref: JSON.parse(output as string) as Ref & Json,
        payload: null,
        payloadText,
      },
      idempotencyClaim(idempotency_key, idempotency_hash),
      fromIso(JSON.parse(at)),
    )
    // Somebody may have put it before others since.
    if (String(birth.ready.rank) !== rank) return null
    birth.written(String(FIRST_VERSION))
    return birth
  }

  /** From the beginning to where the payload begins; -1 when it says something else. */
  #readUpTo(text: string, own: Own): number {
    let at = 0
    for (let nth = 0; nth <= this.#payload; nth++) {
      const { before, slot } = this.#pieces[nth] as FixedPiece
      if (!text.startsWith(before, at)) return -1
      at += before.length
      if (nth === this.#payload) return at
      const end = endOfValue(text, at)
      if (end === -1 || !isSaid(own, slot as FixedSlot, text.slice(at, end))) return -1
      at = end
    }
    return -1
  }

  /** From the end to where the payload ends: whatever it says, it does not end before. */
  #readDownTo(text: string, own: Own): number {
    let end = text.length
    for (let nth = this.#pieces.length - 1; nth > this.#payload; nth--) {
      const { before } = this.#pieces[nth] as FixedPiece
      end -= before.length
      if (end < 0 || !text.startsWith(before, end)) return -1
      if (nth === this.#payload + 1) return end
      const start = startOfValue(text, end)
      const { slot } = this.#pieces[nth - 1] as FixedPiece
      if (start === -1 || !isSaid(own, slot as FixedSlot, text.slice(start, end))) return -1
      end = start
    }
    return -1
  }
}

/** What is said twice is the same both times. */
function isSaid(own: Own, slot: FixedSlot, text: string): boolean {
  const said = own[slot]
  own[slot] = text
  return said === undefined || said === text
}

/** Of a text or a whole number; -1 when it is neither. */
function endOfValue(text: string, start: number): number {
  if (text.charCodeAt(start) !== QUOTE) return endOfDigits(text, start)
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at + 1
  }
  return -1
}

function endOfDigits(text: string, start: number): number {
  let at = start
  while (isDigit(text.charCodeAt(at))) at++
  return at === start ? -1 : at
}

/** Of a time or a whole number that ends there. */
function startOfValue(text: string, end: number): number {
  if (text.charCodeAt(end - 1) === QUOTE) return end - TIME_LENGTH
  let at = end
  while (isDigit(text.charCodeAt(at - 1))) at--
  return at === end ? -1 : at
}

function isDigit(code: number): boolean {
  return code >= DIGIT_0 && code <= DIGIT_9
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function isSame(birth: Birth, { job, steps }: JobAggregate): boolean {
  return (
    toIso(birth.now) === job.created_at &&
    sameJson({ job: birth.job, steps: birth.steps } as unknown as Json, { job, steps } as unknown as Json)
  )
}
