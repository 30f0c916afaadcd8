import type { JobPart } from '../../../core/aggregate.ts'
import { type AuditEntry, hopsOf } from '../../../core/audit.ts'
import type { Change, Claim, Signal, SlotChange } from '../../../core/decision.ts'
import { idempotencyClaim } from '../../../core/idempotency.ts'
import { sameJson } from '../../../core/json.ts'
import type { Move } from '../../live/move.ts'
import type { BatchBuffer } from '../batch-buffer.ts'
import type { Encodable, Nths } from './encode.ts'
import { writeParts } from './encode-parts.ts'
import { OWN_CLAIM } from './line.ts'
import { constant, type LineBytes } from './line-bytes.ts'
import { factsOf, isStepKey, type LineFacts } from './usual.ts'
import { WrittenAgain } from './written-again.ts'

type Entries = readonly [AuditEntry, ...AuditEntry[]]

/** Everything that one line tells of a job. */
export interface JobLine {
  readonly seq: number
  /** First seq of the commit. */
  readonly first: number
  readonly entries: Entries
  readonly nths: Nths | undefined
  readonly parts: readonly JobPart[]
  readonly before: Extract<Move, { readonly parts: readonly JobPart[] }>['before']
  readonly devices: Pick<Change, 'claims' | 'slots' | 'signals'>
}

/** A commit about one job and nothing else, as nearly all about jobs are; null for any other. Answers its places. */
export function encodeJob(
  { change, audit, first, moves, nths }: Encodable,
  into: BatchBuffer,
): number | null {
  const move = moves[0]
  if (moves.length > 1 || move == null || move.parts === null || !isAbout(audit, move.to.job)) return null
  const { parts, before } = move
  writeJobLine({ seq: first, first, entries: audit, nths, parts, before, devices: change }, into)
  let places = 0
  for (const entry of audit) places += hopsOf(entry)
  return places
}

/** Whether a history can be told in the short form: there is one, and all of it is about this job. */
export function isAbout(
  entries: readonly AuditEntry[],
  { tenant_id, job_id }: { readonly tenant_id: string; readonly job_id: string },
): entries is Entries {
  for (const entry of entries) {
    if (entry.job_id !== job_id || entry.tenant_id !== tenant_id || entry.path.length < 2) return false
    if (entry.kind !== 'job' && entry.kind !== 'step' && entry.kind !== 'outbox') return false
  }
  return entries.length > 0
}

/** In the short form: fields that are usual, or that follow from others, are left out. */
export function writeJobLine(line: JobLine, into: BatchBuffer): void {
  const { seq, first, entries, nths, parts, before, devices } = line
  const facts = factsOf(entries, String(first))
  writeFirst(seq, entries[0], nths, into)
  if (seq !== first) {
    into.put(COMMIT)
    into.number(first)
  }
  if (entries.length > 1) writeOthers(entries, nths, into)
  if (isOwnClaim(devices.claims, parts, before)) into.put(OWN)
  else if (devices.claims.length > 0) writeClaims(devices.claims, facts, into)
  if (devices.slots.length > 0) writeSlots(devices.slots, facts, into)
  if (devices.signals.length > 0) writeSignals(devices.signals, facts, into)
  writeParts(parts, before, facts, into)
  into.endLine()
}

const SEQ = constant('{"seq":')
const COMMIT = constant(',"commit":')
const DOC_ID = constant(',"doc_id":')
const OLD_STATE = constant(',"old_state":')
const NEW_STATE = constant(',"new_state":')
const TIMESTAMP = constant(',"timestamp":')
const ADAPTER = constant(',"adapter":')
const ERROR_TYPE = constant(',"error_type":')
const ERROR_MESSAGE = constant(',"error_message":')
const TRACEBACK = constant(',"traceback":')
const RETRY_COUNT = constant(',"retry_count":')
const MAX_RETRIES = constant(',"max_retries":')
const DURATION_SECONDS = constant(',"duration_seconds":')
const METADATA = constant(',"metadata":')
const EVENT = constant(',"event":')
const MOVED_JOB = constant(',"event":"moved","kind":"job","tenant_id":')
const MOVED_STEP = constant(',"event":"moved","kind":"step","tenant_id":')
const TENANT_ID = constant(',"tenant_id":')
const ACTOR = constant(',"actor":')
const REASON = constant(',"reason":')
const ID = constant(',"id":')
const JOB_ID = constant(',"job_id":')
const PATH = constant(',"path":[')
const NTH = constant(',"nth":')
const ALSO = constant(',"also":[{"kind":')
const ANOTHER = constant(',{"kind":')
const OWN = constant(`,"claims":"${OWN_CLAIM}"`)
const CLAIMS = constant(',"claims":[{"key":')
const SLOTS = constant(',"slots":[{"key":')
const SIGNALS = constant(',"signals":[{"topic":')
const NEXT_KEY = constant(',{"key":')
const NEXT_TOPIC = constant(',{"topic":')
const VERB = constant(',"verb":')
const OWNER = constant(',"owner":')
const MAX = constant(',"max":')
const UNTIL = constant(',"until":')
const COMMA = 0x2c
const OPEN = 0x7b
const COLON = 0x3a
const CLOSE = 0x7d
const CLOSE_LIST = 0x5d

/** The fields come in the order that all lines have; those with their usual value are left out. */
function writeFirst(seq: number, entry: AuditEntry, nths: Nths | undefined, into: LineBytes): void {
  const { path } = entry
  into.put(SEQ)
  into.number(seq)
  const again = entry.kind === 'job' ? OF_JOBS : OF_PARTS
  again.move.write(entry, into)
  writeNumber(DURATION_SECONDS, entry.duration_seconds, into)
  into.put(METADATA)
  writeObject(entry.metadata, into)
  again.who.write(entry, into)
  if (!isNamedByJob(entry)) writeText(ID, entry.id, into)
  writeText(JOB_ID, entry.job_id, into)
  if (path.length !== 2) writePath(path, into)
  writeNth(entry, nths, into)
}

function writeMove(entry: AuditEntry, into: LineBytes): void {
  const { path } = entry
  writeText(DOC_ID, entry.doc_id, into)
  writeText(OLD_STATE, path[0] as string | null, into)
  writeText(NEW_STATE, path[path.length - 1] as string, into)
  writeNumber(TIMESTAMP, entry.timestamp, into)
  writeText(ADAPTER, entry.adapter, into)
  writeText(ERROR_TYPE, entry.error_type, into)
  writeText(ERROR_MESSAGE, entry.error_message, into)
  writeText(TRACEBACK, entry.traceback, into)
  if (entry.retry_count !== 0) writeNumber(RETRY_COUNT, entry.retry_count, into)
  writeNumber(MAX_RETRIES, entry.max_retries, into)
}

function isSameMove(a: AuditEntry, b: AuditEntry): boolean {
  return (
    a.timestamp === b.timestamp &&
    a.doc_id === b.doc_id &&
    a.path[0] === b.path[0] &&
    a.path[a.path.length - 1] === b.path[b.path.length - 1] &&
    a.adapter === b.adapter &&
    a.error_type === b.error_type &&
    a.error_message === b.error_message &&
    a.traceback === b.traceback &&
    a.retry_count === b.retry_count &&
    a.max_retries === b.max_retries
  )
}

function writeWho(entry: AuditEntry, into: LineBytes): void {
  into.put(whatOf(entry))
  into.text(entry.tenant_id)
  writeText(ACTOR, entry.actor, into)
  writeText(REASON, entry.reason, into)
}

function isSameWho(a: AuditEntry, b: AuditEntry): boolean {
  return (
    a.actor === b.actor &&
    a.tenant_id === b.tenant_id &&
    a.reason === b.reason &&
    a.event === b.event &&
    a.kind === b.kind
  )
}

/** Lines that follow each other are mostly about jobs that went the same way at the same time. */
const OF_JOBS = { move: new WrittenAgain(writeMove, isSameMove), who: new WrittenAgain(writeWho, isSameWho) }
const OF_PARTS = { move: new WrittenAgain(writeMove, isSameMove), who: new WrittenAgain(writeWho, isSameWho) }

/** What it is about and what happened: there are few of these, and they are in every line. */
function whatOf({ event, kind }: AuditEntry): Uint8Array {
  if (event === 'moved' && kind === 'job') return MOVED_JOB
  if (event === 'moved' && kind === 'step') return MOVED_STEP
  return constant(`,"event":"${event}","kind":"${kind}","tenant_id":`)
}

/** Further entries have what is not as in the first one, and always their path. */
function writeOthers(entries: Entries, nths: Nths | undefined, into: LineBytes): void {
  const first = entries[0]
  for (let index = 1; index < entries.length; index++) {
    const entry = entries[index] as AuditEntry
    into.put(index === 1 ? ALSO : ANOTHER)
    into.text(entry.kind)
    if (entry.doc_id !== first.doc_id) writeValue(DOC_ID, entry.doc_id, into)
    if (entry.timestamp !== first.timestamp) writeValue(TIMESTAMP, entry.timestamp, into)
    if (entry.adapter !== first.adapter) writeValue(ADAPTER, entry.adapter, into)
    if (entry.error_type !== first.error_type) writeValue(ERROR_TYPE, entry.error_type, into)
    if (entry.error_message !== first.error_message) writeValue(ERROR_MESSAGE, entry.error_message, into)
    if (entry.traceback !== first.traceback) writeValue(TRACEBACK, entry.traceback, into)
    if (entry.retry_count !== first.retry_count) writeValue(RETRY_COUNT, entry.retry_count, into)
    if (entry.max_retries !== first.max_retries) writeValue(MAX_RETRIES, entry.max_retries, into)
    if (entry.duration_seconds !== first.duration_seconds) {
      writeValue(DURATION_SECONDS, entry.duration_seconds, into)
    }
    if (!sameJson(entry.metadata, first.metadata)) {
      into.put(METADATA)
      writeObject(entry.metadata, into)
    }
    if (entry.event !== first.event) writeValue(EVENT, entry.event, into)
    if (entry.actor !== first.actor) writeValue(ACTOR, entry.actor, into)
    if (entry.reason !== first.reason) writeValue(REASON, entry.reason, into)
    if (!isNamedByJob(entry)) writeText(ID, entry.id, into)
    writePath(entry.path, into)
    writeNth(entry, nths, into)
    into.byte(CLOSE)
  }
  into.byte(CLOSE_LIST)
}

/** Its id can be told from the job's. */
function isNamedByJob({ kind, id, job_id, metadata }: AuditEntry): boolean {
  if (kind === 'job') return id === job_id
  const { step_id } = metadata
  return kind === 'step' && typeof step_id === 'string' && isStepKey(id, job_id as string, step_id)
}

function writePath(path: AuditEntry['path'], into: LineBytes): void {
  for (const known of paths) {
    if (known.path.length === path.length && known.path.every((state, index) => state === path[index])) {
      into.put(known.bytes)
      return
    }
  }
  const start = into.size
  into.put(PATH)
  for (let index = 0; index < path.length; index++) {
    if (index > 0) into.byte(COMMA)
    into.value(path[index])
  }
  into.byte(CLOSE_LIST)
  if (paths.length < MOST_PATHS) paths.push({ path: [...path], bytes: into.since(start) })
}

/** The ways that jobs usually go. */
const paths: { readonly path: AuditEntry['path']; readonly bytes: Uint8Array }[] = []
const MOST_PATHS = 16

function writeNth(entry: AuditEntry, nths: Nths | undefined, into: LineBytes): void {
  const nth = nths?.get(entry)
  if (nth !== undefined) writeNumber(NTH, nth, into)
}

/** An object of few fields. */
function writeObject(object: { readonly [field: string]: unknown }, into: LineBytes): void {
  let before = OPEN
  for (const field in object) {
    const value = object[field]
    if (value === undefined) continue
    into.byte(before)
    const name = TOLD_NAMES.get(field)
    if (name === undefined) {
      into.text(field)
      into.byte(COLON)
    } else into.put(name)
    into.value(value)
    before = COMMA
  }
  if (before === OPEN) into.byte(OPEN)
  into.byte(CLOSE)
}

/** Of what is told in nearly every entry. */
const TOLD_NAMES: ReadonlyMap<string, Uint8Array> = new Map(
  ['step_id', 'attempt_no', 'lease_id', 'run_id', 'workstream_id'].map((name) => [
    name,
    constant(`"${name}":`),
  ]),
)

/** As every new job has one, which can be told from it. */
function isOwnClaim(claims: readonly Claim[], parts: readonly JobPart[], before: JobLine['before']): boolean {
  const [claim] = claims
  const job = parts.at(-1)
  if (claim === undefined || claims.length > 1 || before !== null || job?.kind !== 'job') return false
  const { tenant_id, job_id, idempotency_key, idempotency_hash } = job
  const key = idempotencyClaim(idempotency_key, idempotency_hash)
  return claim.key === key && claim.owner === job_id && claim.tenant_id === tenant_id
}

function writeClaims(claims: readonly Claim[], facts: LineFacts, into: LineBytes): void {
  for (let index = 0; index < claims.length; index++) {
    const { tenant_id, key, owner } = claims[index] as Claim
    into.put(index === 0 ? CLAIMS : NEXT_KEY)
    into.text(key)
    if (tenant_id !== facts.tenant_id) writeText(TENANT_ID, tenant_id, into)
    if (owner !== facts.job_id) writeText(OWNER, owner, into)
    into.byte(CLOSE)
  }
  into.byte(CLOSE_LIST)
}

function writeSlots(slots: readonly SlotChange[], facts: LineFacts, into: LineBytes): void {
  for (let index = 0; index < slots.length; index++) {
    const slot = slots[index] as SlotChange
    into.put(index === 0 ? SLOTS : NEXT_KEY)
    into.text(slot.key)
    writeText(VERB, slot.verb, into)
    if (slot.tenant_id !== facts.tenant_id) writeText(TENANT_ID, slot.tenant_id, into)
    if (slot.owner !== facts.job_id) writeText(OWNER, slot.owner, into)
    if (slot.verb === 'take') {
      writeNumber(MAX, slot.max, into)
      if (slot.until !== undefined) writeNumber(UNTIL, slot.until, into)
    }
    into.byte(CLOSE)
  }
  into.byte(CLOSE_LIST)
}

function writeSignals(signals: readonly Signal[], facts: LineFacts, into: LineBytes): void {
  for (let index = 0; index < signals.length; index++) {
    const { tenant_id, topic } = signals[index] as Signal
    into.put(index === 0 ? SIGNALS : NEXT_TOPIC)
    into.text(topic)
    if (tenant_id !== facts.tenant_id) writeText(TENANT_ID, tenant_id, into)
    into.byte(CLOSE)
  }
  into.byte(CLOSE_LIST)
}

/** Not when it is null. */
function writeText(name: Uint8Array, text: string | null, into: LineBytes): void {
  if (text === null) return
  into.put(name)
  into.text(text)
}

/** Not when it is null. */
function writeNumber(name: Uint8Array, number: number | null, into: LineBytes): void {
  if (number === null) return
  into.put(name)
  into.number(number)
}

function writeValue(name: Uint8Array, value: string | number | null, into: LineBytes): void {
  into.put(name)
  into.value(value)
}
