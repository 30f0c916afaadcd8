// What may come next in the filter: a field, then one of its values.
import type { HistoryRecord } from '../../api/live.ts'
import { parse, printValue, type ReadPart } from './filter-language.ts'
import { FIELDS, type Field, fieldOf, type Known, valueIn } from './filter-meaning.ts'

export interface Completion {
  /** What it says in the list. */
  readonly title: string
  readonly about: string
  /** What replaces the text from `from` to `to`. */
  readonly text: string
}

export interface Completions {
  readonly from: number
  readonly to: number
  readonly items: readonly Completion[]
  /** Whether one of them has to be meant, so that the first is offered by itself. */
  readonly isSure: boolean
}

/** Values by field: those that are known beforehand, and those that were seen. */
export type Vocabulary = Known

const MOST = 50
/** Fields with so few values that all of them are known. */
const SURE: ReadonlySet<string> = new Set(['kind', 'state', 'event', 'level'])
const TIMES = ['5m', '15m', '1h', '6h', '24h', '7d']

export function complete(text: string, caret: number, vocabulary: Vocabulary): Completions {
  const part = parse(text).find(({ from, to }) => from < caret && caret <= to)
  if (part === undefined) return { from: caret, to: caret, items: fieldItems('', ''), isSure: false }
  const { from, to } = part
  const typed = text.slice(from, caret)
  const sign = part.isNegated ? '-' : ''
  const colon = typed.indexOf(':')
  if (part.field === null || colon < 0) {
    const name = typed.slice(sign.length)
    // A dash alone is about to become one.
    const items = name === '-' ? fieldItems('', '-') : fieldItems(name, sign)
    return { from, to, items, isSure: true }
  }
  const isSure = SURE.has(part.field)
  return { from, to, items: valueItems(part, typed.slice(colon + 1), sign, vocabulary), isSure }
}

function fieldItems(typed: string, sign: string): readonly Completion[] {
  const wanted = typed.toLowerCase()
  return (Object.keys(FIELDS) as Field[])
    .filter((field) => field.startsWith(wanted))
    .map((field) => ({ title: `${sign}${field}:`, about: FIELDS[field], text: `${sign}${field}:` }))
}

function valueItems(
  part: ReadPart,
  typed: string,
  sign: string,
  vocabulary: Vocabulary,
): readonly Completion[] {
  const field = fieldOf(part.field ?? '')
  if (field === null) return []
  const isTime = field === 'from' || field === 'before'
  const values = isTime ? TIMES : (vocabulary[field] ?? [])
  const wanted = typed.replace(/^"/, '').toLowerCase()
  return ranked(values, wanted).map((value) => ({
    title: value,
    about: isTime ? 'ago' : '',
    text: `${sign}${part.field}:${printValue(value)}`,
  }))
}

/** Those that begin with it before those that have it somewhere. */
function ranked(values: readonly string[], wanted: string): readonly string[] {
  const rank = (value: string) => value.toLowerCase().indexOf(wanted)
  return values
    .filter((value) => rank(value) >= 0)
    .toSorted((a, b) => Math.min(rank(a), 1) - Math.min(rank(b), 1))
    .slice(0, MOST)
}

const SEEN: readonly Field[] = [
  'actor',
  'adapter',
  'error_type',
  'job',
  'doc',
  'run',
  'workstream',
  'id',
  'tenant',
]
const MOST_SEEN = 500

/** The values that records have, the latest first. */
export function seenIn(records: readonly HistoryRecord[], known: Known): Vocabulary {
  const seen = new Map<Field, Set<string>>(SEEN.map((field) => [field, new Set()]))
  for (let i = records.length - 1; i >= 0; i--) {
    for (const [field, values] of seen) {
      const value = valueIn(records[i] as HistoryRecord, field)
      if (value !== null && value !== '' && values.size < MOST_SEEN) values.add(value)
    }
  }
  return { ...Object.fromEntries([...seen].map(([field, values]) => [field, [...values]])), ...known }
}

/** The text with a completion in its place, and where the caret goes. */
export function completed(
  text: string,
  { from, to }: Completions,
  { text: inserted }: Completion,
): { readonly text: string; readonly caret: number } {
  const isField = inserted.endsWith(':')
  const rest = text.slice(to)
  const space = isField || rest.startsWith(' ') ? '' : ' '
  const caret = from + inserted.length + (isField ? 0 : 1)
  return { text: `${text.slice(0, from)}${inserted}${space}${rest}`, caret }
}
