// What a filter means: which parts are wrong, and why; what the server is asked for, and which records are meant. The server
// takes one value of some fields and no negations, so it may answer with more than is meant: the page looks again.
import type { Query } from '../../api/client.ts'
import type { HistoryRecord } from '../../api/live.ts'
import { msOf } from '../../format/time.ts'
import { type Part, parse, type ReadPart } from './filter-language.ts'

/** What fields may be asked for, and what for. */
export const FIELDS = {
  kind: 'What kind of record: job, document, …',
  state: 'The state that was entered',
  event: 'moved, noted, refused or ignored',
  level: 'error, warn, info or debug',
  actor: 'Who did it',
  adapter: 'The adapter, service or tool',
  error_type: 'What kind of error',
  job: 'Everything about one job',
  doc: 'Everything about one document',
  run: 'A run and what its jobs do',
  workstream: 'A workstream and what its jobs do',
  id: 'One record of any kind',
  tenant: 'Whose record it is',
  from: 'Since then: 15m, 2h, 3d, or a time',
  before: 'Until then: 15m, 2h, 3d, or a time',
} as const

export type Field = keyof typeof FIELDS

const ALIASES: { readonly [name: string]: Field } = { tool: 'adapter' }

/** The values that there are of a field, where they are known beforehand. */
export type Known = { readonly [F in Field]?: readonly string[] }

interface Term {
  readonly isNegated: boolean
  /** Null for text anywhere. */
  readonly field: Field | null
  readonly value: string
}

interface Wrong {
  /** Which part of the text. */
  readonly nth: number
  readonly message: string
}

export interface Filter {
  readonly terms: readonly Term[]
  readonly wrong: readonly Wrong[]
}

export function fieldOf(name: string): Field | null {
  if (Object.hasOwn(FIELDS, name)) return name as Field
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? null) : null
}

export function filterOf(text: string, known: Known): Filter {
  const terms: Term[] = []
  const wrong: Wrong[] = []
  for (const [nth, part] of parse(text).entries()) {
    const { message, meant } = meaningOf(part, known)
    if (message !== null) wrong.push({ nth, message })
    else terms.push(...meant)
  }
  return { terms, wrong }
}

interface Meaning {
  readonly message: string | null
  readonly meant: readonly Term[]
}

function meaningOf(part: ReadPart, known: Known): Meaning {
  const { isNegated, value } = part
  if (part.isOpen) return isWrong('The quotes do not end')
  if (part.field === null) return isMeant([{ isNegated, field: null, value }])
  const field = fieldOf(part.field)
  if (field === null) {
    return isWrong(`There is no field “${part.field}”. To look for the text, put it in quotes`)
  }
  if (value === '') return isWrong(`${field}: needs a value`)
  if (isTime(field)) return timeMeaning(part, field)
  const legal = known[field]
  if (legal === undefined) return isMeant([{ isNegated, field, value }])
  return choiceMeaning({ isNegated, field, value }, legal)
}

/** Values that are known beforehand have no commas: `level:error,warn` means both. */
function choiceMeaning({ isNegated, field, value }: Term, legal: readonly string[]): Meaning {
  const meant: Term[] = []
  for (const one of value.split(',')) {
    const exact = legal.find((each) => each === one)
    const found = exact ?? legal.find((each) => each.toLowerCase() === one.toLowerCase())
    if (found === undefined && field === 'tenant') {
      return isWrong(`Only records of ${listed(legal)} are shown. Choose another tenant at the top`)
    }
    if (found === undefined) return isWrong(`“${one}” is no ${field}. There are ${listed(legal)}`)
    meant.push({ isNegated, field, value: found })
  }
  return isMeant(meant)
}

const MOST_LISTED = 8

function listed(values: readonly string[]): string {
  const rest = values.length - MOST_LISTED
  const shown = values.slice(0, MOST_LISTED).join(', ')
  return rest > 0 ? `${shown} and ${rest} more` : shown
}

function isTime(field: Field): field is 'from' | 'before' {
  return field === 'from' || field === 'before'
}

function timeMeaning({ isNegated, value }: Part, field: 'from' | 'before'): Meaning {
  if (isNegated) return isWrong(`Write ${field === 'from' ? 'before' : 'from'}: instead of -${field}:`)
  if (momentOf(value, 0) === null) {
    return isWrong(`“${value}” is no time. Write 15m, 2h or 3d, or 2026-11-17T10:30`)
  }
  return isMeant([{ isNegated, field, value }])
}

function isWrong(message: string): Meaning {
  return { message, meant: [] }
}

function isMeant(meant: readonly Term[]): Meaning {
  return { message: null, meant }
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
const AGO = /^(\d{1,6})([smhdw])$/
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i

/** Epoch milliseconds of `15m` ago or of a time in ISO 8601; null when it is neither. */
export function momentOf(value: string, now: number): number | null {
  const ago = AGO.exec(value)
  if (ago !== null) return now - Number(ago[1]) * UNIT_MS[ago[2] as keyof typeof UNIT_MS]
  if (!ISO.test(value)) return null
  const ms = Date.parse(value)
  return Number.isNaN(ms) ? null : ms
}

/** The same at any time, for a link that somebody opens tomorrow. */
export function fixedInTime(parts: readonly Part[], now: number): readonly Part[] {
  return parts.map(({ isNegated, field, value }) => {
    if (field !== 'from' && field !== 'before') return { isNegated, field, value }
    const ms = momentOf(value, now)
    return { isNegated, field, value: ms === null ? value : new Date(ms).toISOString() }
  })
}

const LISTS = ['kind', 'state', 'event', 'level'] as const
const ONES = [
  ['actor', 'actor'],
  ['adapter', 'adapter'],
  ['error_type', 'error_type'],
  ['job', 'job_id'],
  ['doc', 'doc_id'],
  ['run', 'run_id'],
  ['workstream', 'workstream_id'],
  ['id', 'id'],
] as const
const LONGEST_TEXT = 200

/** What the server is asked for: all that is meant, and perhaps more. */
export function serverQuery({ terms }: Filter, tenant: string, now: number): Query {
  const wanted = (field: Field | null) =>
    terms.filter((term) => term.field === field && !term.isNegated).map(({ value }) => value)
  const query: { [name: string]: string } = { tenant_id: tenant }
  for (const field of LISTS) if (wanted(field).length > 0) query[field] = wanted(field).join(',')
  for (const [field, name] of ONES) {
    const [value, another] = wanted(field)
    if (value !== undefined && another === undefined) query[name] = value
  }
  const [owner, other] = wanted('tenant')
  if (tenant === '*' && owner !== undefined && other === undefined) query.tenant_id = owner
  const text = wanted(null).toSorted((a, b) => b.length - a.length)[0]
  if (text !== undefined && text !== '') query.q = text.slice(0, LONGEST_TEXT)
  const { from, before } = rangeOf(terms, now)
  if (from !== null) query.from = new Date(from).toISOString()
  if (before !== null) query.before = new Date(before).toISOString()
  return query
}

/** The earliest of several beginnings and the latest of several ends: several values of a field mean any of them. */
function rangeOf(terms: readonly Term[], now: number) {
  const moments = (field: Field) =>
    terms.filter((term) => term.field === field).map(({ value }) => momentOf(value, now) ?? now)
  const from = moments('from')
  const before = moments('before')
  return {
    from: from.length === 0 ? null : Math.min(...from),
    before: before.length === 0 ? null : Math.max(...before),
  }
}

/** Says of records whether they are meant. */
export function matcherOf(
  { terms }: Filter,
  tenant: string,
  now: number,
): (record: HistoryRecord) => boolean {
  const tests: ((record: HistoryRecord) => boolean)[] = []
  if (tenant !== '*') tests.push((record) => record.tenant_id === tenant)
  for (const field of Object.keys(FIELDS) as Field[]) {
    if (isTime(field)) continue
    const values = (isNegated: boolean) =>
      new Set(
        terms
          .filter((term) => term.field === field && term.isNegated === isNegated)
          .map(({ value }) => value),
      )
    const any = values(false)
    const none = values(true)
    if (any.size > 0) tests.push((record) => any.has(READ[field](record) ?? ''))
    if (none.size > 0) tests.push((record) => !none.has(READ[field](record) ?? ''))
  }
  for (const { field, value, isNegated } of terms) {
    if (field === null) tests.push((record) => contains(record, value.toLowerCase()) !== isNegated)
  }
  const { from, before } = rangeOf(terms, now)
  if (from !== null) tests.push(({ timestamp }) => msOf(timestamp) >= from)
  if (before !== null) tests.push(({ timestamp }) => msOf(timestamp) < before)
  return (record) => tests.every((test) => test(record))
}

type Told = (record: HistoryRecord) => string | null

const READ: { readonly [F in Exclude<Field, 'from' | 'before'>]: Told } = {
  kind: ({ kind }) => kind,
  state: ({ new_state }) => new_state,
  event: ({ event }) => event,
  level: ({ level }) => level,
  actor: ({ actor }) => actor,
  adapter: ({ adapter }) => adapter,
  error_type: ({ error_type }) => error_type,
  job: ({ job_id }) => job_id,
  doc: ({ doc_id }) => doc_id,
  run: (record) => groupOf(record, 'run'),
  workstream: (record) => groupOf(record, 'workstream'),
  id: ({ id }) => id,
  tenant: ({ tenant_id }) => tenant_id,
}

/** The value of a field that a record has. */
export function valueIn(record: HistoryRecord, field: Field): string | null {
  return isTime(field) ? null : READ[field](record)
}

function groupOf({ kind, id, metadata }: HistoryRecord, group: 'run' | 'workstream'): string | null {
  if (kind === group) return id
  const told = metadata[`${group}_id`]
  return typeof told === 'string' ? told : null
}

/** In the same texts as the server looks for it. */
function contains(record: HistoryRecord, wanted: string): boolean {
  const { id, job_id, doc_id, actor, adapter, error_type, error_message, reason } = record
  const texts = [id, job_id, doc_id, actor, adapter, error_type, error_message, reason]
  return texts.some((text) => text?.toLowerCase().includes(wanted) === true)
}
