import type { Backoff } from '../../../core/backoff.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import type { OldJob, OldSchedule, OldState } from '../old-record.ts'
import type { Row } from '../read-only-database.ts'
import type { CrontabEntry } from './crontab.ts'

interface Facts {
  /** What the database is called in keys. */
  readonly source: string
  readonly now: number
}

const SECOND_MS = 1000

/** Attempts that a job has when nobody says how many. */
const ATTEMPTS = 25

/** After the nth attempt it waits e to the nth seconds, and from the tenth on always as long. */
const BACKOFF: Backoff = {
  kind: 'list',
  delaysMs: Array.from({ length: 10 }, (_, n) => Math.round(Math.exp(n + 1) * SECOND_MS)),
}

export function jobOf(row: Row, { source, now }: Facts): OldJob {
  const id = row.id as string
  const task = row.identifier as string
  const queue_name = row.queue_name as string | null
  const attempts = row.attempts as number
  const runAt = row.run_at_ms as number
  const state = stateOf(row, now)
  const flags = Object.keys((row.flags ?? {}) as JsonObject)
  return {
    kind: 'job',
    id,
    key: `graphile-worker:${source}:${id}`,
    queue: task,
    name: task,
    state,
    payload: (row.payload ?? {}) as Json,
    priority: priorityOf(row.priority as number),
    run_at: runAt > now ? runAt : null,
    expires_at: null,
    // It counts an attempt when that begins.
    attempts_made: attempts - (state === 'active' ? 1 : 0),
    max_attempts: row.max_attempts as number,
    backoff: BACKOFF,
    timeout_ms: null,
    limits: serial(queue_name),
    depends_on: [],
    on_dependency_failure: 'fail',
    tags: flags,
    output: null,
    error: (row.last_error as string | null) ?? null,
    facts: {
      ...(queue_name === null ? null : { queue_name }),
      ...(row.key == null ? null : { job_key: row.key as string }),
    },
    differences: [
      ...(row.key == null
        ? []
        : [
            'its job key replaces no other job: give requests an idempotency_key, and cancel what is out of date',
          ]),
      ...(flags.length === 0 ? [] : ['its flags are tags here, and forbid nothing']),
    ],
    problem: null,
    created_at: row.created_at as string,
  }
}

function stateOf(row: Row, now: number): OldState {
  if (row.is_locked === true) return 'active'
  if ((row.attempts as number) >= (row.max_attempts as number)) return 'failed'
  return (row.run_at_ms as number) > now ? 'delayed' : 'waiting'
}

/** The less, the sooner; 0 is what nobody said anything of. */
function priorityOf(priority: number): OldJob['priority'] {
  if (priority === 0) return 'normal'
  return priority < 0 ? 'high' : 'low'
}

/** Jobs of a named queue run one after the other. */
function serial(queue_name: string | null): OldJob['limits'] {
  return queue_name === null ? [] : [{ key: `serial:${queue_name}`, max: 1 }]
}

export function scheduleOf(entry: CrontabEntry, source: string): OldSchedule {
  const { identifier, task, cron, payload, options, problem } = entry
  return {
    kind: 'schedule',
    state: 'schedule',
    id: identifier,
    key: `graphile-worker:${source}:${identifier}`,
    queue: task,
    name: task,
    payload,
    priority: priorityOf(Number(options.priority ?? 0)),
    max_attempts: Number(options.max ?? ATTEMPTS),
    backoff: BACKOFF,
    timeout_ms: null,
    limits: serial(options.queue ?? null),
    differences: ['its payload has no _cron: the time that is meant is in the idempotency_key of the job'],
    problem,
    cron,
    timezone: 'UTC',
    catch_up: options.fill === undefined ? 'none' : 'all',
  }
}

/** Its times are in a file, or in the code that starts the worker. */
export function unknownSchedule(identifier: string, source: string, isGiven: boolean): OldSchedule {
  const problem = isGiven
    ? 'the crontab that was given does not have it'
    : 'its times are in your crontab, not in the database: give it with --crontab FILE'
  const entry = { identifier, task: identifier, cron: '', payload: {}, options: {}, problem }
  return scheduleOf(entry, source)
}
