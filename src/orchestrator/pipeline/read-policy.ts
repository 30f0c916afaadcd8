import type { Backoff } from '../../core/backoff.ts'
import type { Rate } from '../../core/job/protocol.ts'
import type { BreakerPolicy } from '../../core/pipeline/breaker.ts'
import { DEFAULT_RESILIENCE, NO_BACKOFF, type ResiliencePolicy } from '../../core/pipeline/policy.ts'
import type { Fields, Found, SourceReader } from './source-reader.ts'

export const POLICY_KEYS = ['attempts', 'timeout', 'backoff', 'breaker', 'rate'] as const

/** As they are called in a topology that is data already. */
const DATA_KEYS = ['max_attempts', 'timeout_ms'] as const

const KINDS = ['none', 'linear', 'exponential', 'fibonacci', 'list'] as const

export function readPolicy(reader: SourceReader, found: Found): ResiliencePolicy {
  const fields = reader.fields(found, 'A policy', [...POLICY_KEYS, ...DATA_KEYS])
  const { max_attempts, timeout_ms, backoff } = DEFAULT_RESILIENCE
  const base: ResiliencePolicy = { max_attempts, timeout_ms, backoff }
  return fields === undefined ? base : laidOver(reader, base, fields)
}

/** A policy, but for what these fields say. */
export function laidOver(reader: SourceReader, base: ResiliencePolicy, fields: Fields): ResiliencePolicy {
  const attempts = fields.optional('attempts', 'max_attempts')
  const timeout = fields.optional('timeout', 'timeout_ms')
  const backoff = fields.optional('backoff')
  const breaker = orNone(fields.optional('breaker'), base.breaker, (found) => readBreaker(reader, found))
  const rate = orNone(fields.optional('rate'), base.rate, (found) => readRate(reader, found))
  return {
    max_attempts: (attempts && reader.number(attempts)) ?? base.max_attempts,
    timeout_ms: (timeout && reader.duration(timeout)) ?? base.timeout_ms,
    backoff: (backoff && readBackoff(reader, backoff)) ?? base.backoff,
    ...(breaker === undefined ? {} : { breaker }),
    ...(rate === undefined ? {} : { rate }),
  }
}

/** What is not said is as before; null says that there is none. */
function orNone<T>(
  found: Found | undefined,
  before: T | undefined,
  read: (found: Found) => T | undefined,
): T | undefined {
  if (found === undefined) return before
  return found.value === null ? undefined : read(found)
}

function readBreaker(reader: SourceReader, found: Found): BreakerPolicy | undefined {
  const fields = reader.fields(found, 'A breaker', ['failures', 'recovery', 'recovery_ms'])
  if (fields === undefined) return undefined
  const failures = fields.required('failures')
  const recovery = fields.required('recovery', 'recovery_ms')
  const read = {
    failures: failures && reader.number(failures),
    recovery_ms: recovery && reader.duration(recovery),
  }
  return isWhole(read) ? read : undefined
}

function readRate(reader: SourceReader, found: Found): Rate | undefined {
  const fields = reader.fields(found, 'A rate', ['calls', 'per', 'max', 'per_ms'])
  if (fields === undefined) return undefined
  const calls = fields.required('calls', 'max')
  const per = fields.required('per', 'per_ms')
  const read = { max: calls && reader.number(calls), per_ms: per && reader.duration(per) }
  return isWhole(read) ? read : undefined
}

function isWhole<K extends string>(
  read: { readonly [key in K]: number | undefined },
): read is { readonly [key in K]: number } {
  return Object.values(read).every((value) => value !== undefined)
}

function readBackoff(reader: SourceReader, found: Found): Backoff | undefined {
  if (found.value === 'none') return NO_BACKOFF
  const fields = reader.fields(found, 'A backoff', [
    ...['kind', 'base', 'cap', 'jitter', 'delays'],
    ...['baseMs', 'capMs', 'delaysMs'],
  ])
  const named = fields?.required('kind')
  const kind = named && reader.oneOf(named, KINDS)
  if (fields === undefined || kind === undefined) return undefined
  if (kind === 'list') return readDelays(reader, fields)
  if (fields.has('delays') || fields.has('delaysMs')) notFor(reader, fields, kind, ['delays', 'delaysMs'])
  return kind === 'none' ? readNone(reader, fields) : readGrowing(reader, fields, kind)
}

function readDelays(reader: SourceReader, fields: Fields): Backoff | undefined {
  notFor(reader, fields, 'list', ['base', 'baseMs', 'cap', 'capMs', 'jitter'])
  const found = fields.required('delays', 'delaysMs')
  const delays = (found && reader.list(found))?.map((delay) => reader.duration(delay))
  if (delays === undefined || delays.includes(undefined)) return undefined
  return { kind: 'list', delaysMs: delays as number[] }
}

/** It waits for nothing, whatever it says of base and cap. */
function readNone(reader: SourceReader, fields: Fields): Backoff {
  const base = fields.optional('base', 'baseMs')
  const cap = fields.optional('cap', 'capMs')
  return {
    kind: 'none',
    baseMs: (base && reader.duration(base)) ?? 0,
    capMs: (cap && reader.duration(cap)) ?? 0,
    ...jitterOf(reader, fields),
  }
}

function readGrowing(
  reader: SourceReader,
  fields: Fields,
  kind: 'linear' | 'exponential' | 'fibonacci',
): Backoff | undefined {
  const base = fields.required('base', 'baseMs')
  const cap = fields.required('cap', 'capMs')
  const jitter = jitterOf(reader, fields)
  const read = { baseMs: base && reader.duration(base), capMs: cap && reader.duration(cap) }
  return isWhole(read) ? { kind, ...read, ...jitter } : undefined
}

function jitterOf(reader: SourceReader, fields: Fields): { readonly jitter?: number } {
  const found = fields.optional('jitter')
  const jitter = found && reader.number(found)
  return jitter === undefined ? {} : { jitter }
}

function notFor(reader: SourceReader, fields: Fields, kind: string, names: readonly string[]): void {
  for (const name of names) {
    if (fields.has(name)) {
      reader.note('UNKNOWN_KEY', [...fields.path, name], `A backoff of kind ${kind} has no "${name}"`)
    }
  }
}
