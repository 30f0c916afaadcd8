// The language of the filter: `kind:job -level:debug actor:"night shift" timeout`. Here it is only read and written; what is
// meant by it is in filter-meaning.ts.

/** A part of a filter, as it was written. */
export interface Part {
  readonly isNegated: boolean
  /** Null for text that is looked for anywhere. */
  readonly field: string | null
  readonly value: string
}

/** Where it was written. */
export interface ReadPart extends Part {
  readonly from: number
  readonly to: number
  /** Its quotes do not end. */
  readonly isOpen: boolean
}

const FIELD = /^([a-z_]+):/i

export function parse(text: string): readonly ReadPart[] {
  const parts: ReadPart[] = []
  let at = 0
  while (at < text.length) {
    if (isBlank(text[at])) at++
    else {
      const part = readPart(text, at)
      parts.push(part)
      at = part.to
    }
  }
  return parts
}

function isBlank(char: string | undefined): boolean {
  return char !== undefined && /\s/.test(char)
}

function readPart(text: string, from: number): ReadPart {
  // A dash with nothing after it is a dash.
  const isNegated = text[from] === '-' && from + 1 < text.length && !isBlank(text[from + 1])
  let at = isNegated ? from + 1 : from
  const named = FIELD.exec(text.slice(at))
  if (named !== null) at += named[0].length
  const { value, to, isOpen } = text[at] === '"' ? readQuoted(text, at) : readBare(text, at)
  return { isNegated, field: named?.[1]?.toLowerCase() ?? null, value, from, to, isOpen }
}

function readBare(text: string, from: number) {
  let to = from
  while (to < text.length && !isBlank(text[to])) to++
  return { value: text.slice(from, to), to, isOpen: false }
}

function readQuoted(text: string, from: number) {
  let value = ''
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at]
    if (char === '"') return { value, to: at + 1, isOpen: false }
    const next = text[at + 1]
    if (char === '\\' && (next === '"' || next === '\\')) {
      value += next
      at++
    } else value += char
  }
  return { value, to: text.length, isOpen: true }
}

export function print(parts: readonly Part[]): string {
  return parts.map(printPart).join(' ')
}

export function printPart({ isNegated, field, value }: Part): string {
  const sign = isNegated ? '-' : ''
  return field === null ? `${sign}${printText(value)}` : `${sign}${field}:${printValue(value)}`
}

export function printValue(value: string): string {
  return value === '' || /[\s"]/.test(value) ? quoted(value) : value
}

/** Text must not look like something else. */
function printText(value: string): string {
  return value.startsWith('-') || FIELD.test(value) ? quoted(value) : printValue(value)
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, (char) => `\\${char}`)}"`
}

function isSame(a: Part, b: Part): boolean {
  return a.isNegated === b.isNegated && a.field === b.field && a.value === b.value
}

/** With this part, or without it if it was there. */
export function toggled(text: string, part: Part): string {
  const parts = parse(text)
  const without = parts.filter((one) => !isSame(one, part))
  return print(without.length < parts.length ? without : [...parts, part])
}

/** Without the nth part. */
export function without(text: string, nth: number): string {
  return print(parse(text).filter((_, i) => i !== nth))
}

/** With this one value of a field, or none. */
export function replaced(text: string, field: string, value: string | null): string {
  const others = parse(text).filter((part) => part.field !== field || part.isNegated)
  return print(value === null ? others : [...others, { isNegated: false, field, value }])
}
