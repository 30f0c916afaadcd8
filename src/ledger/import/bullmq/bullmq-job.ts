// A job of BullMQ: a hash with its data and options as JSON, under names that are short where there are many of them.
import type { Backoff } from '../../../core/backoff.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import { HOUR_MS, toIso } from '../../../core/time.ts'
import type { OldJob, OldState } from '../old-record.ts'
import type { Hash } from './redis-reader.ts'

interface Facts {
  /** What the database is called in keys. */
  readonly source: string
  readonly prefix: string
  readonly queue: string
  readonly state: OldState
  /** Whether a schedule of this id is taken over. */
  readonly isOfSchedule: (id: string) => boolean
  /** Its place among the others. */
  readonly score: number
  /** Keys of the children that it still waits for, and what each of them says. */
  readonly children: readonly string[]
  readonly waitsFor: readonly Hash[]
  /** What its other children came to, by their keys. */
  readonly done: Hash
}

/** Its own waits have no end; ours have. */
const LONGEST_WAIT_MS = 365 * 24 * HOUR_MS

/** The time at which a delayed job is due is the upper part of its score; the lower keeps those of one time in order. */
const SCORES_PER_MS = 0x1000

/** The name of jobs that nobody gave a name. */
const NO_NAME = '__default__'

export function jobOf(id: string, hash: Hash, facts: Facts): OldJob {
  const { source, queue, state } = facts
  const payload = jsonOf(hash.data)
  const options = optionsOf(hash)
  const depends_on = facts.children.map((key) => keyOf(key, facts))
  return {
    kind: 'job',
    id,
    key: `bullmq:${source}:${queue}:${id}`,
    queue,
    name: hash.name === undefined || hash.name === NO_NAME || hash.name.trim() === '' ? queue : hash.name,
    state,
    payload: payload ?? null,
    priority: numberOf(hash.priority ?? options.priority) > 0 ? 'low' : 'normal',
    run_at: state === 'delayed' ? Math.floor(facts.score / SCORES_PER_MS) : null,
    expires_at: null,
    attempts_made: numberOf(hash.atm ?? hash.attemptsMade),
    max_attempts: Math.max(1, numberOf(options.attempts)),
    backoff: backoffOf(options.backoff),
    timeout_ms: null,
    limits: [],
    depends_on: depends_on.flatMap((key) => key ?? []),
    on_dependency_failure: policyOf(facts.waitsFor),
    tags: [],
    output: jsonOf(hash.returnvalue) ?? null,
    error: hash.failedReason ?? null,
    facts: { ...endedAt(hash), ...childrenDone(facts.done) },
    differences: differencesOf(hash, options, facts),
    problem: problemOf(hash, payload, depends_on, facts),
    created_at: hash.timestamp === undefined ? null : timeText(hash.timestamp),
  }
}

function problemOf(
  hash: Hash,
  payload: Json | undefined,
  depends_on: readonly (string | null)[],
  facts: Facts,
) {
  if (Object.keys(hash).length === 0) return 'it was removed while it was read'
  if (payload === undefined) return 'its data is not JSON'
  if (depends_on.includes(null)) return 'it waits for a job under another prefix'
  const isNext = facts.state === 'delayed' && hash.rjk !== undefined && facts.isOfSchedule(hash.rjk)
  return isNext ? 'its schedule submits it when it is due' : null
}

/** `bull:mail:42`; null when it is under another prefix. */
function keyOf(key: string, { prefix, source }: Facts): string | null {
  return key.startsWith(`${prefix}:`) ? `bullmq:${source}:${key.slice(prefix.length + 1)}` : null
}

export function backoffOf(given: Json | undefined): Backoff | null {
  if (given === undefined || given === null) return { kind: 'none', baseMs: 0, capMs: 0 }
  const { type, delay, jitter } = isJsonObject(given) ? given : { type: 'fixed', delay: given, jitter: 0 }
  const baseMs = Math.round(numberOf(delay))
  const random = numberOf(jitter) > 0 ? { jitter: Math.min(1, numberOf(jitter)) } : {}
  if (type === 'exponential') return { kind: 'exponential', baseMs, capMs: LONGEST_WAIT_MS, ...random }
  return type === 'fixed' ? { kind: 'list', delaysMs: [baseMs] } : null
}

/** What its options say about it, where they say something that has no place here. */
function differencesOf(hash: Hash, options: JsonObject, facts: Facts): readonly string[] {
  const priority = numberOf(hash.priority ?? options.priority)
  return [
    ...(priority > 0
      ? ['its priority is low here, as of all that have one: BullMQ does them after those without']
      : []),
    ...(backoffOf(options.backoff) === null
      ? ['its backoff is a function of your worker: here it waits 1, 5 and 15 minutes']
      : []),
    ...(hash.deid === undefined && options.de === undefined
      ? []
      : ['its deduplication holds no others back: give requests an idempotency_key']),
    ...(options.lifo === true ? ['it is not put before older ones, though it asks for that (lifo)'] : []),
    ...(facts.state === 'active' ? ['somebody was working on it: it may be done twice'] : []),
    ...(Object.keys(facts.done).length === 0
      ? []
      : ['what its children came to is in the metadata of the job: imported.children']),
    ...(facts.children.length > 0 && policyOf(facts.waitsFor) === 'fail'
      ? ['it fails when one of its children does, and does not wait for ever']
      : []),
  ]
}

/** What happens when a child fails: children say so, and here the parent does. */
function policyOf(children: readonly Hash[]): OldJob['on_dependency_failure'] {
  const lets = (options: JsonObject) => [options.idof, options.rdof, options.cpof].includes(true)
  return children.length > 0 && children.every((hash) => lets(optionsOf(hash))) ? 'release' : 'fail'
}

function optionsOf({ opts }: Hash): JsonObject {
  const options = jsonOf(opts)
  return isJsonObject(options) ? options : {}
}

function endedAt({ finishedOn }: Hash): JsonObject {
  return finishedOn === undefined ? {} : { finished_at: timeText(finishedOn) }
}

function childrenDone(done: Hash): JsonObject {
  const children = Object.entries(done).map(([key, value]) => [key, jsonOf(value) ?? value] as const)
  return children.length === 0 ? {} : { children: Object.fromEntries(children) }
}

/** Undefined when it is not JSON. */
export function jsonOf(text: string | undefined): Json | undefined {
  if (text === undefined) return null
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

export function numberOf(value: Json | undefined): number {
  const number = Number(value ?? 0)
  return Number.isFinite(number) ? number : 0
}

function timeText(ms: string): string | null {
  const number = Number(ms)
  return Number.isFinite(number) ? toIso(number) : null
}
