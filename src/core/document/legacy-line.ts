import { EMPTY, isJsonObject, type Json, type JsonObject } from '../json.ts'
import { isStateOf } from '../machine.ts'
import { type DocumentState, documentMachine } from '../machines/document.ts'
import { DEEPEST, FORBIDDEN_NAMES, idProblem } from '../names.ts'
import { MARKS, withoutMarks } from './legacy-marks.ts'
import { legacySeconds } from './legacy-time.ts'
import { type MappedState, mapState } from './states.ts'

/**
 * A line of an old log, read. Two kinds of lines tell of a transition: those of the old log (`doc_id`, `state`,
 * `timestamp`, `metadata`), and audit records, into which an earlier migration turned them. Whatever a line says is
 * kept: what has a place goes there, everything else goes into the metadata of its entry in the history, under one
 * of the names below. What the reader ought to know about is a finding. A line is rejected only when it does not say
 * which document it is about, or which state, or holds what cannot be stored.
 */
export interface PastTransition {
  readonly doc_id: string
  readonly state: DocumentState
  /** The state that the line says it came from; null when it does not say. */
  readonly old_state: DocumentState | null
  /** Epoch seconds. */
  readonly at: number
  readonly adapter: string
  readonly error_type: string | null
  readonly error_message: string | null
  readonly traceback: string | null
  /** Null when the line does not say: then they follow from what is there. */
  readonly retry_count: number | null
  readonly max_retries: number | null
  readonly duration_seconds: number | null
  /** As the line has it. */
  readonly metadata: JsonObject
  /** What the history keeps beside it. */
  readonly marks: JsonObject | null
  /** What is laid over the document: the metadata without marks, which are about the transition. */
  readonly brings: JsonObject
}

/** A transition whose time may still be open. */
export interface ReadLine extends Omit<PastTransition, 'at'> {
  at: number | null
}

export type LineReading =
  | {
      readonly read: ReadLine
      readonly findings: readonly LegacyFinding[]
      readonly form: LineForm
    }
  | { readonly problem: string }

/**
 * `record`: an audit record as it should be; to write it again would change nothing. `broken`: one that lacks something
 * or says it otherwise. `old`: a line of the old log.
 */
export type LineForm = 'record' | 'broken' | 'old'

export interface LegacyFinding {
  readonly kind: LegacyFindingKind
  readonly what: string
}

export const LEGACY_FINDINGS = {
  rejected: 'Lines that tell of no transition',
  unknown_state: 'States that nobody maps, taken for legacy',
  undeclared_edge: 'Transitions that the machine does not declare',
  same_state: 'Transitions into the state that the document was in',
  bad_timestamp: 'Timestamps that are missing or unusable; the time of the line before is used',
  time_went_back: 'Times before the last one of the document, which stand still instead',
  time_in_future: 'Times that have not come yet, taken for now',
  bad_metadata: 'Metadata that is no object, kept as legacy_metadata',
  old_state_differs: 'Old states that are not the state that the document was in',
} as const

export type LegacyFindingKind = keyof typeof LEGACY_FINDINGS

const NO_FINDINGS: readonly LegacyFinding[] = []

/** Longest name of an adapter; a longer one is none. */
const LONGEST_ADAPTER = 10_000

const MOST_RETRIES = 2 ** 31

/** What a parsed line of JSON tells. Its text is kept when it has a number with more digits than we can hold. */
export function readLegacyLine(value: unknown, text: string): LineReading {
  if (!isJsonObject(value as Json)) return { problem: 'it is not a JSON object' }
  const line = value as JsonObject
  const { doc_id } = line
  if (typeof doc_id !== 'string') {
    return { problem: doc_id === undefined ? 'it has no doc_id' : 'its doc_id is not text' }
  }
  const unfit = doc_id.isWellFormed() ? idProblem(doc_id) : 'must be well-formed Unicode'
  if (unfit !== null) return { problem: `its doc_id ${unfit}` }
  const name = stateName(line)
  if (name === null) return { problem: 'it names no state' }
  const numbers = { areExact: true }
  const unstorable = problemIn(line, '', 0, numbers)
  if (unstorable !== null) return { problem: unstorable }
  return readFields(line, doc_id, name, numbers.areExact ? null : text)
}

/** A log has few names for its states, and a million lines: each is mapped once. */
const mapped = new Map<string, MappedState>()
const MOST_NAMES = 1000

function mappedState(name: string): MappedState {
  let state = mapped.get(name)
  if (state === undefined) {
    state = mapState(name)
    if (mapped.size < MOST_NAMES) mapped.set(name, state)
  }
  return state
}

/** Audit records have a `new_state`. */
function stateName({ new_state, state }: JsonObject): string | null {
  const name = typeof new_state === 'string' ? new_state : state
  return typeof name === 'string' && name.trim() !== '' ? name : null
}

function readFields(line: JsonObject, doc_id: string, name: string, text: string | null): LineReading {
  const isAudit = line.new_state === name
  const { state, known: isKnown } = mappedState(name)
  const at = legacySeconds(line.timestamp)
  const metadata = isJsonObject(line.metadata) ? line.metadata : EMPTY
  const marks: { [mark: string]: Json } = {}
  if (state !== name) marks.legacy_state = name
  // An audit record may have it from the line that it was made of.
  if (text !== null && metadata.legacy_text === undefined) marks.legacy_text = text
  keepTheRest(line, isAudit, at, marks)
  const own = ownMarks(metadata)
  // A log that uses one of these names for something else must not lose it.
  if (own && !isAudit) marks.legacy_metadata = metadata
  const hasMarks = !isEmpty(marks)
  const read: ReadLine = {
    doc_id,
    state,
    old_state: isAudit ? knownState(line.old_state) : null,
    at,
    adapter: adapterOf(line, metadata),
    error_type: textOf(line.error_type, metadata.error_type),
    error_message: textOf(messageOf(line), messageOf(metadata)),
    traceback: textOf(line.traceback, metadata.traceback),
    retry_count: countOf(line.retry_count),
    max_retries: countOf(line.max_retries),
    duration_seconds: durationOf(line.duration_seconds),
    metadata,
    marks: hasMarks ? marks : null,
    brings: own ? withoutMarks(metadata) : metadata,
  }
  const findings = isKnown && at !== null && marks.legacy_metadata === undefined ? NO_FINDINGS : []
  if (findings !== NO_FINDINGS) addFindings(findings as LegacyFinding[], line, { isKnown, name, at })
  return { read, findings, form: isAudit ? (isAuditRecord(line) ? 'record' : 'broken') : 'old' }
}

function addFindings(
  findings: LegacyFinding[],
  { timestamp, metadata }: JsonObject,
  { isKnown, name, at }: { readonly isKnown: boolean; readonly name: string; readonly at: number | null },
): void {
  if (!isKnown) findings.push({ kind: 'unknown_state', what: `the state ${quoted(name)} is not known` })
  if (at === null) {
    const what = timestamp === undefined ? 'it has no timestamp' : `${quoted(timestamp)} is not a time`
    findings.push({ kind: 'bad_timestamp', what })
  }
  if (metadata !== undefined && metadata !== null && !isJsonObject(metadata)) {
    findings.push({ kind: 'bad_metadata', what: 'its metadata is not an object' })
  }
}

/** What has no place of its own in the history. */
function keepTheRest(
  line: JsonObject,
  isAudit: boolean,
  at: number | null,
  marks: { [mark: string]: Json },
): void {
  let fields: { [name: string]: Json } | undefined
  const isTold = typeof line.error_message === 'string'
  for (const name in line) {
    const value = line[name] as Json
    if (hasPlace(name, value, isAudit) && !(name === 'error' && isTold)) continue
    if (name === 'metadata') {
      if (value !== null) marks.legacy_metadata = value
    } else if (name === 'timestamp') {
      if (at === null && value !== null) marks.original_timestamp = value
    } else if (value !== null || !PLACES.has(name)) {
      fields ??= {}
      fields[name] = value
    }
  }
  if (fields !== undefined) marks.legacy_fields = fields
}

const TEXTS: ReadonlySet<string> = new Set(['error_type', 'error_message', 'traceback'])

/** Fields that are missed nowhere when they are null. */
const PLACES: ReadonlySet<string> = new Set([
  ...TEXTS,
  'adapter',
  'error',
  'old_state',
  'retry_count',
  'max_retries',
  'duration_seconds',
])

function hasPlace(name: string, value: Json, isAudit: boolean): boolean {
  switch (name) {
    case 'doc_id':
      return true
    case 'state':
      return !isAudit
    case 'new_state':
      return isAudit
    case 'old_state':
      return isAudit && knownState(value) !== null
    case 'metadata':
      return isJsonObject(value)
    case 'timestamp':
      return false
    case 'adapter':
      return isAdapter(value)
    case 'retry_count':
    case 'max_retries':
      return countOf(value) !== null
    case 'duration_seconds':
      return durationOf(value) !== null
    case 'error':
      return typeof value === 'string'
    default:
      return TEXTS.has(name) && typeof value === 'string'
  }
}

/** It has every field as an audit record must have it. */
function isAuditRecord(line: JsonObject): boolean {
  const { old_state, new_state, timestamp, adapter, metadata } = line
  return (
    isStateOf(documentMachine, old_state) &&
    isStateOf(documentMachine, new_state) &&
    typeof timestamp === 'number' &&
    legacySeconds(timestamp) === timestamp &&
    isAdapter(adapter) &&
    isJsonObject(metadata)
  )
}

function adapterOf({ adapter }: JsonObject, metadata: JsonObject): string {
  if (isAdapter(adapter)) return adapter
  if (isAdapter(metadata.adapter)) return metadata.adapter
  return isAdapter(metadata.source) ? metadata.source : ''
}

function isAdapter(value: Json | undefined): value is string {
  return typeof value === 'string' && value.length <= LONGEST_ADAPTER
}

/** Old code has the message in either. */
function messageOf({ error_message, error }: JsonObject): Json | undefined {
  return typeof error_message === 'string' ? error_message : error
}

function textOf(outside: Json | undefined, inside: Json | undefined): string | null {
  if (typeof outside === 'string') return outside
  return typeof inside === 'string' ? inside : null
}

function countOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < MOST_RETRIES
    ? value
    : null
}

function durationOf(value: Json | undefined): number | null {
  return typeof value === 'number' && value >= 0 ? value : null
}

function knownState(value: Json | undefined): DocumentState | null {
  return isStateOf(documentMachine, value) ? value : null
}

function ownMarks(metadata: JsonObject): boolean {
  for (const name in metadata) if (MARKS.has(name)) return true
  return false
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false
  return true
}

/** Names that reach behind an object, numbers that JSON cannot write, and nesting without end cannot be stored. */
function problemIn(
  value: JsonObject,
  path: string,
  depth: number,
  numbers: { areExact: boolean },
): string | null {
  if (depth > DEEPEST) return `it is nested deeper than ${DEEPEST} levels`
  for (const name in value) {
    const item = value[name] as Json
    if (FORBIDDEN_NAMES.has(name)) return `${path}${name} is not allowed as a name`
    if (typeof item === 'object' && item !== null) {
      const problem = problemIn(item as JsonObject, `${path}${name}.`, depth + 1, numbers)
      if (problem !== null) return problem
    } else if (typeof item === 'number' && !(Math.abs(item) <= Number.MAX_SAFE_INTEGER)) {
      if (!Number.isFinite(item)) return `${path}${name} is a number too large to keep`
      numbers.areExact = false
    }
  }
  return null
}

const LONGEST_QUOTE = 80

function quoted(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text
}
