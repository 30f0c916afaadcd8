// Lines of those that are alike. The first of a batch is written as a whole, and all others of the batch as what is different from
// it: `"like"` names its seq. A batch counts whole or not at all, so no line ever rests on one that may be lost without it.
//
// Nobody makes records to write such a line. It is written once as every line is, of one that has marks for whatever is its own, and
// cut apart at the marks (birth-marks.ts); all others are put together from the pieces.
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import { type Mark, type Marks, piecesBetween, WORTH_CUTTING } from '../../birth-marks.ts'
import { BatchBuffer } from '../batch-buffer.ts'
import { differences } from './like.ts'
import type { LineBytes } from './line-bytes.ts'

/** A line to be written: of what, under which seq, in a commit that begins with which. */
export interface Written<One> {
  readonly one: One
  readonly seq: number
  readonly first: number
}

/** Some that are alike: what is different from one to the other, and how that is written. */
export interface LineKind<One, Slot extends string> {
  /** What all of them have in common, and nobody else has. */
  formOf(one: One): object
  /** As every line is written. */
  write(line: Written<One>, into: BatchBuffer): void
  /** One like it that has marks for whatever is its own, and how they stand in the line. */
  marked(one: One, marks: Marks, etag: string): { readonly one: One; readonly slots: readonly Mark<Slot>[] }
  writeSlot(slot: Slot, one: One, into: LineBytes): void
  /** Groups of slots that need not be said again where they are the same, and whether they are. */
  readonly shared: readonly {
    readonly slots: readonly Slot[]
    isSame(model: One, one: One): boolean
  }[]
}

/** Slots that every line may have. */
type Place = 'seq' | 'first' | 'like'

interface Piece<Slot> {
  readonly before: Uint8Array
  /** What comes after it; null at the end. */
  readonly slot: Slot | Place | null
}

type Pieces<Slot> = readonly Piece<Slot>[]

/** Which pieces: a bit each for a line that begins its commit and for one as a whole, then one for each group that is the same. */
const BEGINS = 1
const WHOLE = 2
const FIRST_SHARED = 4

export class AlikeLines<One, Slot extends string> {
  readonly #kind: LineKind<One, Slot>
  readonly #forms = new WeakMap<object, FormLines<One, Slot>>()

  constructor(kind: LineKind<One, Slot>) {
    this.#kind = kind
  }

  write(line: Written<One>, into: BatchBuffer): void {
    const { one, seq } = line
    const form = this.#formOf(one)
    if (!form.isCut()) {
      this.#kind.write(line, into)
      into.keepModel(form, line)
      return
    }
    const model = into.modelOf(form) as Written<One> | undefined
    let which = seq === line.first ? BEGINS : 0
    if (model === undefined) which |= WHOLE
    else which |= this.#same(model.one, one)
    this.#put(form.pieces(which, one), line, model?.seq ?? 0, into)
    if (model === undefined) into.keepModel(form, line)
  }

  #same(model: One, one: One): number {
    let bits = 0
    let bit = FIRST_SHARED
    for (const group of this.#kind.shared) {
      if (group.isSame(model, one)) bits |= bit
      bit *= 2
    }
    return bits
  }

  #put(pieces: Pieces<Slot>, { one, seq, first }: Written<One>, like: number, into: BatchBuffer): void {
    for (let nth = 0; nth < pieces.length; nth++) {
      const { before, slot } = pieces[nth] as Piece<Slot>
      into.put(before)
      if (slot === null) break
      if (slot === 'seq') into.number(seq)
      else if (slot === 'like') into.number(like)
      else if (slot === 'first') into.number(first)
      else this.#kind.writeSlot(slot as Slot, one, into)
    }
    into.endLine()
  }

  #formOf(one: One): FormLines<One, Slot> {
    const key = this.#kind.formOf(one)
    let form = this.#forms.get(key)
    if (form === undefined) {
      form = new FormLines(this.#kind)
      this.#forms.set(key, form)
    }
    return form
  }
}

interface MarkedText<Slot> {
  readonly slots: readonly Mark<Slot | Place>[]
  readonly text: () => string
}

/** The pieces of all lines of one form. */
class FormLines<One, Slot extends string> {
  readonly #kind: LineKind<One, Slot>
  readonly #pieces: (Pieces<Slot> | undefined)[] = []
  #lines = 0

  constructor(kind: LineKind<One, Slot>) {
    this.#kind = kind
  }

  /** Not as long as few lines have been asked for. */
  isCut(): boolean {
    if (this.#lines > WORTH_CUTTING) return true
    this.#lines++
    return this.#lines > WORTH_CUTTING
  }

  pieces(which: number, like: One): Pieces<Slot> {
    let pieces = this.#pieces[which]
    if (pieces === undefined) {
      pieces = this.#cut(which, like)
      this.#pieces[which] = pieces
    }
    return pieces
  }

  #cut(which: number, like: One): Pieces<Slot> {
    const plain = this.#lineOf({ one: like, seq: 0, first: 0 })
    const pieces = piecesBetween<Slot | Place>(plain, (marks) => this.#marked(which, like, marks))
    return pieces.map(({ before, slot }) => ({ before: Uint8Array.from(Buffer.from(before)), slot }))
  }

  #marked(which: number, like: One, marks: Marks): MarkedText<Slot> {
    const isFirst = (which & BEGINS) !== 0
    const { seq } = marks
    const first = isFirst ? seq : marks.first
    const { one, slots: own } = this.#kind.marked(like, marks, String(first))
    const line = this.#lineOf({ one, seq, first })
    const all: Mark<Slot | Place>[] = [['seq', String(seq)], ...own]
    if (!isFirst) all.push(['first', String(first)])
    if ((which & WHOLE) !== 0) return { slots: presentIn(line, all), text: () => line }
    all.push(['like', String(marks.like)])
    const said = this.#differences(which, like, line, own)
    const text = `{"seq":${seq},"like":${marks.like}${said}`
    return { slots: presentIn(text, all), text: () => text }
  }

  /** What has to be said after a line that has no more in common with it than these groups; without the closing brace. */
  #differences(which: number, like: One, line: string, own: readonly Mark<Slot>[]): string {
    const model = JSON.parse(`${this.#lineOf({ one: like, seq: 0, first: 0 })}}`) as JsonObject
    const { seq: _, ...different } = differences(model, JSON.parse(`${line}}`) as JsonObject)
    const same = this.#kind.shared.flatMap(({ slots }, nth) =>
      (which & (FIRST_SHARED << nth)) === 0 ? [] : slots,
    )
    const texts = new Set(own.filter(([slot]) => same.includes(slot)).map(([, text]) => text))
    const text = JSON.stringify(without(different, texts) ?? {})
    return text === '{}' ? '' : `,${text.slice(1, -1)}`
  }

  /** Up to where it is ended. */
  #lineOf(line: Written<One>): string {
    const buffer = new BatchBuffer(line.seq)
    this.#kind.write(line, buffer)
    const text = buffer.bytes.toString('utf8', 0, buffer.size)
    return text.slice(0, text.lastIndexOf(',"batch":['))
  }
}

function presentIn<Slot>(text: string, marks: readonly Mark<Slot>[]): readonly Mark<Slot>[] {
  return marks.filter(([, mark]) => text.includes(mark))
}

/** Without what stands there as one of these texts, and whatever has nothing else in it. */
function without(value: Json, texts: ReadonlySet<string>): Json | undefined {
  if (texts.has(JSON.stringify(value))) return undefined
  if (Array.isArray(value)) {
    const items = value.map((item) => without(item, texts))
    return items.every((item) => item === undefined) ? undefined : items.map((item) => item ?? {})
  }
  if (!isJsonObject(value)) return value
  const fields = Object.entries(value).flatMap(([field, inside]) => {
    const left = without(inside, texts)
    return left === undefined ? [] : [[field, left] as const]
  })
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}
