// Rows of pg-boss. A column that a version does not have is undefined.
import type { Backoff } from '../../../core/backoff.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import type { OldJob, OldSchedule, OldState } from '../old-record.ts'

interface Facts {
  /** What the database is called in keys. */
  readonly source: string
  readonly now: number
}

const SECOND_MS = 1000

/** Its waits double so often, and no more. */
const MOST_DOUBLINGS = 16

export function jobOf(row: JsonObject, waitsFor: readonly string[] | null, facts: Facts): OldJob {
  const name = String(row.name)
  const id = String(row.id)
  const state = stateOf(row, waitsFor, facts.now)
  const start = timeOf(row.start_after)
  const { source } = facts
  return {
    kind: 'job',
    id,
    key: `pg-boss:${source}:${name}:${id}`,
    queue: name,
    name,
    state,
    payload: row.data ?? null,
    priority: priorityOf(row.priority),
    run_at: start !== null && start > facts.now ? start : null,
    expires_at: timeOf(row.keep_until),
    attempts_made: attemptsMade(row),
    max_attempts: numberOf(row.retry_limit) + 1,
    backoff: backoffOf(row),
    timeout_ms: row.expire_seconds == null ? null : Math.round(numberOf(row.expire_seconds) * SECOND_MS),
    limits: [],
    depends_on: (waitsFor ?? []).map((parent) => `pg-boss:${source}:${parent}`),
    on_dependency_failure: 'fail',
    tags: [],
    output: row.output ?? null,
    error: state === 'failed' ? errorText(row.output ?? null) : null,
    facts: {},
    differences: differencesOf(row),
    problem: null,
    created_at: textOf(row.created_on),
  }
}

function stateOf(row: JsonObject, waitsFor: readonly string[] | null, now: number): OldState {
  switch (row.state) {
    case 'active':
    case 'failed':
    case 'completed':
    case 'cancelled':
      return row.state
    default: {
      if (waitsFor !== null && waitsFor.length > 0) return 'blocked'
      const start = timeOf(row.start_after)
      return start !== null && start > now ? 'delayed' : 'waiting'
    }
  }
}

/** It counts what it tried again, when it begins to: one that failed once, and waits, has none. */
function attemptsMade({ state, retry_count }: JsonObject): number {
  return numberOf(retry_count) + (state === 'retry' || state === 'failed' ? 1 : 0)
}

/** It waits between half of a time and all of it, which doubles. */
function backoffOf({ retry_delay, retry_backoff, retry_delay_max }: JsonObject): Backoff {
  const delayMs = numberOf(retry_delay) * SECOND_MS
  if (retry_backoff !== true) {
    return delayMs === 0 ? { kind: 'none', baseMs: 0, capMs: 0 } : { kind: 'list', delaysMs: [delayMs] }
  }
  const baseMs = Math.max(delayMs, SECOND_MS) * 2
  const capMs =
    retry_delay_max == null ? baseMs * 2 ** (MOST_DOUBLINGS - 1) : numberOf(retry_delay_max) * SECOND_MS
  return { kind: 'exponential', baseMs, capMs, jitter: 0.5 }
}

/** The more, the sooner; 0 is what nobody said anything of. */
function priorityOf(value: Json | undefined): OldJob['priority'] {
  const priority = numberOf(value)
  if (priority === 0) return 'normal'
  return priority > 0 ? 'high' : 'low'
}

function differencesOf(row: JsonObject): readonly string[] {
  const { singleton_key, singleton_on, policy, dead_letter, group_id } = row
  return [
    ...(singleton_key == null && singleton_on == null
      ? []
      : ['singletonKey and its like hold no others back: give requests an idempotency_key']),
    ...(policy == null || policy === 'standard'
      ? []
      : [`the policy ${policy} of its queue is not kept: waybill queue limit sets how many run at once`]),
    ...(dead_letter == null
      ? []
      : [
          `it has no dead letter queue (${dead_letter}): jobs that failed stay, and waybill jobs again runs them`,
        ]),
    ...(group_id == null ? [] : ['its group does not limit how many run at once: the limits of a step do']),
  ]
}

/** What its options do not say, its queue does. */
export function scheduleOf(row: JsonObject, queue: JsonObject, { source }: Facts): OldSchedule {
  const name = String(row.name)
  const key = typeof row.key === 'string' && row.key !== '' ? `:${row.key}` : ''
  const options = isJsonObject(row.options) ? row.options : {}
  return {
    kind: 'schedule',
    state: 'schedule',
    id: `${name}${key}`,
    key: `pg-boss:${source}:${name}${key}`,
    queue: name,
    name,
    payload: row.data ?? {},
    priority: priorityOf(options.priority),
    max_attempts: numberOf(options.retryLimit ?? queue.retry_limit ?? 2) + 1,
    backoff: backoffOf({
      retry_delay: options.retryDelay ?? queue.retry_delay ?? 0,
      retry_backoff: options.retryBackoff ?? queue.retry_backoff ?? false,
      retry_delay_max: options.retryDelayMax ?? queue.retry_delay_max ?? null,
    }),
    timeout_ms: null,
    limits: [],
    differences: [],
    problem: row.kind === 'rrule' ? 'its times are a recurrence rule (RRULE), not a cron expression' : null,
    cron: String(row.cron),
    timezone: textOf(row.timezone) ?? 'UTC',
    // Times that passed while it was not running it leaves out.
    catch_up: 'none',
  }
}

function errorText(output: Json): string | null {
  if (isJsonObject(output) && typeof output.message === 'string') return output.message
  return output === null ? null : JSON.stringify(output)
}

function numberOf(value: Json | undefined): number {
  const number = Number(value ?? 0)
  return Number.isFinite(number) ? number : 0
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

/** Also `infinity`, which is no time. */
function timeOf(value: Json | undefined): number | null {
  const ms = Date.parse(textOf(value) ?? '')
  return Number.isNaN(ms) ? null : ms
}
