// A job that is submitted by itself says hardly anything that those like it before it did not say. So what the parts of all of them
// have in common is kept in the database once, as a form, and each of them is added as what is its own: a list, whose values
// come in the places of the marks that the form has for them. The marks are characters that no JSON has.
//
//   form  the text of a part (part-text.ts), with a mark for each value
//   own   [job_id, hash, key, iso, ms, seconds, rank, input, output, payload]; of the first four, which are texts, what is between the
//         quotes comes in the place of the mark
import { createHash } from 'node:crypto'
import type { Birth } from '../../../core/job/birth.ts'
import type { JobForm } from '../../../core/job/job-form.ts'
import { toEpochSeconds, toIso } from '../../../core/time.ts'
import { type Mark, markedBirth, piecesBetween, WORTH_CUTTING } from '../../birth-marks.ts'
import { FIRST_VERSION, ownText } from '../born-row.ts'
import { LoneSet } from '../lone-set.ts'
import type { WriteSet } from '../tables.ts'
import { partText } from './part-text.ts'

const TEXTS = ['job_id', 'hash', 'key', 'iso'] as const
const VALUES = ['ms', 'seconds', 'rank', 'input', 'output', 'payload'] as const
const SLOTS = [...TEXTS, ...VALUES] as const

type Slot = (typeof SLOTS)[number]

/** After all that stand around the pieces of a part. */
const FIRST_MARK = 0x0e

/** As many digits of a hash as a number has room for. */
const ID_DIGITS = 13

export interface PartForm {
  readonly id: number
  readonly text: string
}

/** A part by its form and what is its own. */
export interface FormedPart {
  readonly form: PartForm
  readonly own: string
}

/** Null when there is more to it than a job like others before it, or there were few of them. */
export function formedPart(set: WriteSet): FormedPart | null {
  const { lone } = set
  if (lone === undefined) return null
  const form = formsOf(lone.form).of(set, lone)
  return form === null ? null : { form, own: ownList(lone) }
}

/** The part again, in SQL. @param own the value of that number, as JSON, and `mark` the character of that code */
export function wholePartSql(
  form: string,
  own: (nth: number) => string,
  mark: (code: number) => string,
): string {
  return SLOTS.reduce((text, _, nth) => {
    const value = own(nth)
    const isText = nth < TEXTS.length
    const comes = isText ? `substr(${value}, 2, length(${value}) - 2)` : value
    return `replace(${text}, ${mark(FIRST_MARK + nth)}, ${comes})`
  }, form)
}

/** What jobs of a form say when each is submitted by itself. */
class LoneForm {
  #asked = 0
  /** Undefined as long as nobody has made it; null when it says something else than a part does. */
  #form: PartForm | null | undefined

  of(set: WriteSet, birth: Birth): PartForm | null {
    if (this.#form === undefined) {
      if (++this.#asked <= WORTH_CUTTING) return null
      this.#form = checked(formOf(set, birth), set, birth)
    }
    return this.#form
  }
}

const forms = new WeakMap<JobForm, LoneForm>()

function formsOf(form: JobForm): LoneForm {
  let known = forms.get(form)
  if (known === undefined) {
    known = new LoneForm()
    forms.set(form, known)
  }
  return known
}

/** Two that are alike say the same but for what is their own, also as to times: so it is enough to look at one. */
function checked(form: PartForm, set: WriteSet, birth: Birth): PartForm | null {
  return filledIn(form, birth) === textOf(set) ? form : null
}

function formOf(set: WriteSet, { form }: Birth): PartForm {
  const { slots } = set
  const pieces = piecesBetween<Slot>(textOf(set), (marks) => {
    const birth = markedBirth(form, marks)
    birth.written(String(FIRST_VERSION))
    return {
      slots: SLOTS.flatMap((slot) => markOf(slot, birth)),
      text: () => textOf(new LoneSet(birth, slots)),
    }
  })
  const text = pieces.map(({ before, slot }) => (slot === null ? before : before + markOfSlot(slot))).join('')
  const hash = createHash('sha256').update(text).digest('hex')
  return { id: Number.parseInt(hash.slice(0, ID_DIGITS), 16), text }
}

function textOf(set: WriteSet): string {
  if (set.chunk === null) throw new Error('a new job is told of')
  return partText(set, set.chunk)
}

function markOf(slot: Slot, birth: Birth): readonly Mark<Slot>[] {
  const { idempotency_key, ready, now } = birth
  if (slot === 'key' && idempotency_key === null) return []
  // The most urgent ones: one mark stands for both.
  if (slot === 'rank' && ready.rank === now) return []
  const json = ownJson(slot, birth)
  return [[slot, isText(slot) ? json.slice(1, -1) : json]]
}

function markOfSlot(slot: Slot): string {
  return String.fromCharCode(FIRST_MARK + SLOTS.indexOf(slot))
}

function filledIn({ text }: PartForm, birth: Birth): string {
  return SLOTS.reduce((filled, slot) => {
    const json = ownJson(slot, birth)
    return filled.replaceAll(markOfSlot(slot), () => (isText(slot) ? json.slice(1, -1) : json))
  }, text)
}

function ownList(birth: Birth): string {
  let text = ''
  for (const slot of SLOTS) text += (text === '' ? '[' : ',') + ownJson(slot, birth)
  return `${text}]`
}

function ownJson(slot: Slot, birth: Birth): string {
  switch (slot) {
    case 'iso':
      return JSON.stringify(toIso(birth.now))
    case 'ms':
      return String(birth.now)
    case 'seconds':
      return String(toEpochSeconds(birth.now))
    case 'rank':
      return String(birth.ready.rank)
    default:
      return ownText(slot, birth)
  }
}

function isText(slot: Slot): boolean {
  return TEXTS.includes(slot as (typeof TEXTS)[number])
}
