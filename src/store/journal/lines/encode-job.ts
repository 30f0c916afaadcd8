import { type AuditEntry, hopsOf } from '../../../core/audit.ts'
import type { Change, Claim, Signal, SlotChange } from '../../../core/decision.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../../core/job/record.ts'
import { sameJson } from '../../../core/json.ts'
import type { JobPart, Move } from '../../live/live-state.ts'
import type { Encodable, EncodedCommit, Nths } from './encode.ts'
import { objectJson, textJson, valueJson } from './json-text.ts'
import {
  factsOf,
  isStepKey,
  isUsual,
  type LineFacts,
  type Refs,
  USUAL_JOB,
  USUAL_ROW,
  USUAL_STEP,
  usualAfter,
  usualJob,
  usualRow,
  usualStep,
} from './usual.ts'
import { type Fields, UsualShape } from './usual-shape.ts'

type Entries = readonly [AuditEntry, ...AuditEntry[]]

/** Everything that one line tells of a job. */
export interface JobLine {
  readonly seq: number
  /** First seq of the commit. */
  readonly first: number
  readonly entries: Entries
  readonly nths?: Nths | undefined
  readonly parts: readonly JobPart[]
  readonly before: (Move & { readonly parts: readonly JobPart[] })['before']
  readonly devices: Pick<Change, 'claims' | 'slots' | 'signals'>
}

/** A commit about one job and nothing else, as nearly all about jobs are; null for any other. */
export function encodeJob({ change, audit, first, moves, nths }: Encodable): EncodedCommit | null {
  const move = moves[0]
  if (moves.length > 1 || move == null || move.parts === null || !isAbout(audit, move.to.job)) return null
  const { parts, before } = move
  return {
    lines: [jobLine({ seq: first, first, entries: audit, nths, parts, before, devices: change })],
    places: placesOf(audit),
  }
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

function placesOf(entries: Entries): number {
  let places = 0
  for (const entry of entries) places += hopsOf(entry)
  return places
}

/** Put together by hand: this is most of what is ever written, and an object made for `JSON.stringify` takes thrice as long. */
export function jobLine({ seq, first, entries, nths, parts, before, devices }: JobLine): string {
  const facts = factsOf(entries, String(first))
  let line = firstEntry(seq, entries[0], nths)
  if (seq !== first) line += `,"commit":${first}`
  if (entries.length > 1) line += `,"also":[${entriesAfter(entries, nths)}]`
  return `${line}${devicesJson(devices, facts)}${partsJson(parts, before, facts)}}`
}

/** The fields come in the order that all lines have; those with their usual value are left out. */
function firstEntry(seq: number, entry: AuditEntry, nths: Nths | undefined): string {
  const { path, kind } = entry
  const from = path[0] ?? null
  let line = `{"seq":${seq}`
  if (entry.doc_id !== null) line += `,"doc_id":${textJson(entry.doc_id)}`
  if (from !== null) line += `,"old_state":${textJson(from)}`
  line += `,"new_state":${textJson(path[path.length - 1] as string)},"timestamp":${valueJson(entry.timestamp)}`
  line += `,"adapter":${textJson(entry.adapter)}`
  if (entry.error_type !== null) line += `,"error_type":${textJson(entry.error_type)}`
  if (entry.error_message !== null) line += `,"error_message":${textJson(entry.error_message)}`
  if (entry.traceback !== null) line += `,"traceback":${textJson(entry.traceback)}`
  if (entry.retry_count !== 0) line += `,"retry_count":${entry.retry_count}`
  line += `,"max_retries":${valueJson(entry.max_retries)}`
  if (entry.duration_seconds !== null) line += `,"duration_seconds":${valueJson(entry.duration_seconds)}`
  line += `,"metadata":${objectJson(entry.metadata)},"event":"${entry.event}","kind":"${kind}"`
  line += `,"tenant_id":${textJson(entry.tenant_id)},"actor":${textJson(entry.actor)}`
  if (entry.reason !== null) line += `,"reason":${textJson(entry.reason)}`
  if (!isNamedByJob(entry)) line += `,"id":${textJson(entry.id)}`
  line += `,"job_id":${textJson(entry.job_id as string)}`
  if (path.length !== 2) line += `,"path":[${listJson(path, valueJson)}]`
  const nth = nths?.get(entry)
  return nth === undefined ? line : `${line},"nth":${nth}`
}

/** Further entries have what is not as in the first one, and always their path. */
function entriesAfter(entries: Entries, nths: Nths | undefined): string {
  const first = entries[0]
  let text = ''
  for (let index = 1; index < entries.length; index++) {
    const entry = entries[index] as AuditEntry
    text += text === '' ? '{' : ',{'
    text += `"kind":"${entry.kind}"`
    for (const field of SHARED) {
      const value = entry[field]
      if (value !== first[field]) text += `,"${field}":${valueJson(value)}`
    }
    if (!sameJson(entry.metadata, first.metadata)) text += `,"metadata":${objectJson(entry.metadata)}`
    if (!isNamedByJob(entry)) text += `,"id":${textJson(entry.id)}`
    text += `,"path":[${listJson(entry.path, valueJson)}]`
    const nth = nths?.get(entry)
    text += nth === undefined ? '}' : `,"nth":${nth}}`
  }
  return text
}

const SHARED = [
  'doc_id',
  'timestamp',
  'adapter',
  'error_type',
  'error_message',
  'traceback',
  'retry_count',
  'max_retries',
  'duration_seconds',
  'event',
  'actor',
  'reason',
] as const

/** Its id can be told from the job's. */
function isNamedByJob({ kind, id, job_id, metadata }: AuditEntry): boolean {
  if (kind === 'job') return id === job_id
  const { step_id } = metadata
  return kind === 'step' && typeof step_id === 'string' && isStepKey(id, job_id as string, step_id)
}

function devicesJson({ claims, slots, signals }: JobLine['devices'], facts: LineFacts): string {
  let text = ''
  if (claims.length > 0) text += `,"claims":[${listJson(claims, (claim) => claimJson(claim, facts))}]`
  if (slots.length > 0) text += `,"slots":[${listJson(slots, (slot) => slotJson(slot, facts))}]`
  if (signals.length > 0) text += `,"signals":[${listJson(signals, (signal) => signalJson(signal, facts))}]`
  return text
}

function listJson<T>(items: readonly T[], json: (item: T) => string): string {
  let text = ''
  for (const item of items) text += text === '' ? json(item) : `,${json(item)}`
  return text
}

function claimJson({ tenant_id, key, owner }: Claim, facts: LineFacts): string {
  return `{${tenantJson(tenant_id, facts)}"key":${textJson(key)}${ownerJson(owner, facts)}}`
}

function slotJson(slot: SlotChange, facts: LineFacts): string {
  const { tenant_id, key, verb, owner } = slot
  const start = `{${tenantJson(tenant_id, facts)}"key":${textJson(key)},"verb":"${verb}"${ownerJson(owner, facts)}`
  if (slot.verb !== 'take') return `${start}}`
  const until = slot.until === undefined ? '' : `,"until":${valueJson(slot.until)}`
  return `${start},"max":${valueJson(slot.max)}${until}}`
}

function signalJson({ tenant_id, topic }: Signal, facts: LineFacts): string {
  return `{${tenantJson(tenant_id, facts)}"topic":${textJson(topic)}}`
}

function tenantJson(tenant_id: string, facts: LineFacts): string {
  return tenant_id === facts.tenant_id ? '' : `"tenant_id":${textJson(tenant_id)},`
}

function ownerJson(owner: string, facts: LineFacts): string {
  return owner === facts.job_id ? '' : `,"owner":${textJson(owner)}`
}

/** Records that are new, then those that changed: what is not as one would take it to be anyway. */
function partsJson(parts: readonly JobPart[], before: JobLine['before'], facts: LineFacts): string {
  const made = new Parts()
  const changed = new Parts()
  let refs: Refs = NO_REFS
  if (before === null) for (const part of parts) if (part.kind === 'job') refs = part
  for (const part of parts) {
    if (part.kind === 'step') {
      const there = before?.steps[part.step_index]
      if (there === undefined) made.addStep(newStep(part, made.steps, refs, facts))
      else changed.addStep(stepChange(part, there, facts))
    } else if (part.kind === 'outbox') {
      const there = before?.outbox.find((row) => row.outbox_id === part.outbox_id)
      if (there === undefined) made.addRow(newRow(part, facts))
      else changed.addRow(rowChange(part, there, facts))
    } else if (before === null) made.setJob(newJob(part, facts))
    else changed.setJob(fieldsJson('{', part, usualAfter(before.job, facts, '')))
  }
  return made.json('new') + changed.json('set')
}

const NO_REFS: Refs = {}

/** The records of one job, by kind. Those of a kind follow each other, as they do in every change. */
class Parts {
  steps = 0
  #text = ''
  #open: 'steps' | 'outbox' | 'job' | null = null

  addStep(json: string): void {
    this.#add('steps', json)
    this.steps++
  }

  addRow(json: string): void {
    this.#add('outbox', json)
  }

  setJob(json: string): void {
    this.#text += `${this.#end()}"job":${json}`
    this.#open = 'job'
  }

  json(name: string): string {
    if (this.#open === null) return ''
    return `,"${name}":{${this.#text}${this.#open === 'job' ? '}' : ']}'}`
  }

  #add(list: 'steps' | 'outbox', json: string): void {
    this.#text += this.#open === list ? `,${json}` : `${this.#end()}"${list}":[${json}`
    this.#open = list
  }

  #end(): string {
    return this.#open === null ? '' : this.#open === 'job' ? ',' : '],'
  }
}

const usualJobs = new UsualShape<JobRecord>(USUAL_JOB)
const usualSteps = new UsualShape<StepRecord>(USUAL_STEP)
const usualRows = new UsualShape<OutboxRecord>(USUAL_ROW)

function newJob(job: JobRecord, facts: LineFacts): string {
  return fieldsJson('{', job, usualJob(usualJobs.like(job), facts))
}

function newStep(step: StepRecord, index: number, refs: Refs, facts: LineFacts): string {
  const { step_id, service } = step
  const usual = usualStep(usualSteps.like(step), facts, { step_id, service, index, refs })
  return fieldsJson('{', step, usual)
}

function newRow(row: OutboxRecord, facts: LineFacts): string {
  return fieldsJson('{', row, usualRow(usualRows.like(row), facts, row.outbox_id))
}

function stepChange(step: StepRecord, there: StepRecord, facts: LineFacts): string {
  const { step_id } = step
  return fieldsJson(`{"step_id":${textJson(step_id)}`, step, usualAfter(there, facts, step_id))
}

function rowChange(row: OutboxRecord, there: OutboxRecord, facts: LineFacts): string {
  const { outbox_id } = row
  return fieldsJson(`{"outbox_id":${textJson(outbox_id)}`, row, usualAfter(there, facts, outbox_id))
}

/** An object that begins like this, and has every field that is not usual, whatever it is called. */
function fieldsJson(start: string, record: object, usual: object): string {
  let text = start
  let comma = start === '{' ? '' : ','
  const fields = record as Fields
  for (const field in fields) {
    const value = fields[field]
    const expected = (usual as Fields)[field]
    if (value === expected || value === undefined || isUsual(value, expected)) continue
    text += `${comma}"${field}":${valueJson(value)}`
    comma = ','
  }
  return `${text}}`
}
