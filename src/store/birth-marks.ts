import { idempotencyClaim } from '../core/idempotency.ts'
import { Birth } from '../core/job/birth.ts'
import type { JobForm } from '../core/job/job-form.ts'
import { type Alike, Stride } from '../core/job/stride.ts'
import { must } from '../core/must.ts'

// What is written of jobs that are alike differs in a few places. So it is written once as always, of a job that has marks in these
// places, and cut apart there; of all others it is put together from the pieces. What stands in between is whatever it always was.

/** To cut a text apart takes as long as to write several: where there are two of each, little else would be done. */
export const WORTH_CUTTING = 16

export interface TextPiece<Slot> {
  readonly before: string
  /** What comes after it; null at the end. */
  readonly slot: Slot | null
}

export type Mark<Slot> = readonly [slot: Slot, text: string]

/** What stands in the place of what is different. None of it may be in the text anyway. */
export class Marks {
  readonly seq: number
  readonly first: number
  readonly like: number
  readonly now: number
  /** Between two times. */
  readonly spanMs: number
  readonly text: string

  constructor(nth: number) {
    // Whole numbers that take up as much room as any; the time is of the year 2242.
    this.seq = 8_600_000_000_000_001 + nth
    this.first = 8_700_000_000_000_001 + nth
    this.like = 8_800_000_000_000_001 + nth
    this.now = 8_600_000_000_007 + 10 * nth
    this.spanMs = 1_234_567_019 + 10 * nth
    this.text = `~${nth}~`
  }
}

const MOST_TRIES = 1000

/** The pieces of a text, by its marks in the order in which they are looked for. */
export function piecesBetween<Slot>(
  plain: string,
  marked: (marks: Marks) => { readonly slots: readonly Mark<Slot>[]; readonly text: () => string },
): readonly TextPiece<Slot>[] {
  for (let nth = 0; ; nth++) {
    must(nth < MOST_TRIES, 'some mark is not in the text')
    const { slots, text } = marked(new Marks(nth))
    if (!slots.some(([, mark]) => plain.includes(mark))) return cut(text(), slots)
  }
}

/** A text that differs in a few places from one to the other. Some of what does is the same for all of a moment. */
export class CutText<Slot extends string, Shared extends Slot> {
  readonly #cut: () => readonly TextPiece<Slot>[]
  #asked = 0
  #pieces: readonly TextPiece<Slot>[] | null = null
  #ofMoment: readonly TextPiece<Slot>[] = []
  #moment: number | null = null

  constructor(cut: () => readonly TextPiece<Slot>[]) {
    this.#cut = cut
  }

  /** The pieces, with what is the same for all of the moment filled in; null as long as few texts have been asked for. */
  pieces(
    moment: number,
    shared: () => { readonly [slot in Shared]: string },
    texts = 1,
  ): readonly TextPiece<Slot>[] | null {
    if (this.#pieces === null) {
      this.#asked += texts
      if (this.#asked <= WORTH_CUTTING) return null
      this.#pieces = this.#cut()
    }
    if (this.#moment !== moment) {
      this.#ofMoment = filledIn<Slot, Shared>(this.#pieces, shared())
      this.#moment = moment
    }
    return this.#ofMoment
  }
}

/** The text again, with what is different. */
export function joined<Slot, One>(
  pieces: readonly TextPiece<Slot>[],
  own: (slot: Slot, one: One) => string,
  one: One,
): string {
  let text = ''
  for (let index = 0; index < pieces.length; index++) {
    const { before, slot } = pieces[index] as TextPiece<Slot>
    text += before
    if (slot !== null) text += own(slot, one)
  }
  return text
}

/** Pieces in which some of what is different is a part of what stands in between: many of them have that in common. */
function filledIn<Slot extends string, Filled extends Slot>(
  pieces: readonly TextPiece<Slot>[],
  texts: { readonly [slot in Filled]: string },
): readonly TextPiece<Slot>[] {
  const filled: TextPiece<Slot>[] = []
  let text = ''
  for (const { before, slot } of pieces) {
    text += before
    if (slot !== null && Object.hasOwn(texts, slot)) {
      text += texts[slot as Filled]
      continue
    }
    filled.push({ before: text, slot })
    text = ''
  }
  return filled
}

/** A job whose own are marks. */
export function markedBirth(form: JobForm, { text, now }: Marks): Birth {
  const idempotency_key = form.first.idempotency_key === null ? null : `${text}key`
  const idempotency_hash = `${text}hash`
  const marked = {
    job_id: `${text}job`,
    idempotency_key,
    idempotency_hash,
    input_ref: `${text}input`,
    output_ref: `${text}output`,
    payload: `${text}payload`,
  }
  return new Birth(form, marked, idempotencyClaim(idempotency_key, idempotency_hash), now)
}

/** A job that went the same way, and all that is its own are marks. Other times are between its strides than anybody else's. */
export function markedStride({ leg, before, output }: Stride, marks: Marks, nth = 0): Stride {
  const last = markedAlike(before, marks, nth + 1)
  last.written(String(marks.seq))
  const now = last.now + (nth + 1) * marks.spanMs
  const lease = leg.type === 'claimStep' ? `${marks.text}lease${nth}` : (last as Stride).lease_id
  return new Stride(leg, last, now, lease, output === null ? null : `${marks.text}out${nth}`)
}

function markedAlike(alike: Alike, marks: Marks, nth: number): Alike {
  return alike instanceof Stride ? markedStride(alike, marks, nth) : markedBirth(alike.form, marks)
}

function cut<Slot>(text: string, marks: readonly Mark<Slot>[]): readonly TextPiece<Slot>[] {
  const found = new Set<Slot>()
  const pieces: TextPiece<Slot>[] = []
  let at = 0
  for (;;) {
    const next = nextMark(text, at, marks)
    if (next === null) break
    pieces.push({ before: text.slice(at, next.at), slot: next.slot })
    found.add(next.slot)
    at = next.at + next.length
  }
  pieces.push({ before: text.slice(at), slot: null })
  must(found.size === marks.length, () => `what is written of a job says all of ${marks.map(([s]) => s)}`)
  return pieces
}

function nextMark<Slot>(text: string, from: number, marks: readonly Mark<Slot>[]) {
  let next: { readonly slot: Slot; readonly at: number; readonly length: number } | null = null
  for (const [slot, mark] of marks) {
    const at = text.indexOf(mark, from)
    if (at !== -1 && (next === null || at < next.at)) next = { slot, at, length: mark.length }
  }
  return next
}
