import type { Backoff } from '../backoff.ts'
import { HOUR_MS } from '../time.ts'
import type { ResiliencePolicy } from './policy.ts'
import { type Problem, type ProblemPath, problem } from './topology-problem.ts'

/** Longest time that anything of a pipeline may take or wait. */
const LONGEST_MS = 365 * 24 * HOUR_MS

const MOST_ATTEMPTS = 100
const MOST_FAILURES = 1_000_000

/** Most places a limit may have: engines remember who holds each. */
const MOST_PLACES = 1_000_000

const MOST_DELAYS = 100

interface Range {
  readonly from: number
  readonly to: number
}

const TIME: Range = { from: 1, to: LONGEST_MS }
const WAIT: Range = { from: 0, to: LONGEST_MS }
const PLACES: Range = { from: 1, to: MOST_PLACES }

export function policyProblems(policy: ResiliencePolicy, path: ProblemPath): readonly Problem[] {
  const { max_attempts, timeout_ms, backoff, breaker, rate } = policy
  return [
    ...wholeProblems(max_attempts, { from: 1, to: MOST_ATTEMPTS }, [...path, 'max_attempts']),
    ...timeProblems(timeout_ms, [...path, 'timeout_ms']),
    ...backoffProblems(backoff, [...path, 'backoff']),
    ...(breaker === undefined
      ? []
      : [
          ...wholeProblems(breaker.failures, { from: 1, to: MOST_FAILURES }, [
            ...path,
            'breaker',
            'failures',
          ]),
          ...timeProblems(breaker.recovery_ms, [...path, 'breaker', 'recovery_ms']),
        ]),
    ...(rate === undefined
      ? []
      : [
          ...placesProblems(rate.max, [...path, 'rate', 'max']),
          ...timeProblems(rate.per_ms, [...path, 'rate', 'per_ms']),
        ]),
  ]
}

function backoffProblems(backoff: Backoff, path: ProblemPath): readonly Problem[] {
  if (backoff.kind === 'list') {
    const { delaysMs } = backoff
    return [
      ...wholeProblems(delaysMs.length, { from: 1, to: MOST_DELAYS }, [...path, 'delaysMs']),
      ...delaysMs.flatMap((delay, i) => wholeProblems(delay, WAIT, [...path, 'delaysMs', i])),
    ]
  }
  const { baseMs, capMs, jitter = 0 } = backoff
  const wrong = [
    ...wholeProblems(baseMs, WAIT, [...path, 'baseMs']),
    ...wholeProblems(capMs, WAIT, [...path, 'capMs']),
  ]
  if (!(jitter >= 0 && jitter <= 1)) {
    wrong.push(problem('OUT_OF_RANGE', [...path, 'jitter'], `jitter is ${jitter}; it must be from 0 to 1`))
  }
  if (wrong.length === 0 && capMs < baseMs) {
    const message = `A wait of ${capMs} ms at most cannot begin with ${baseMs} ms`
    wrong.push(problem('OUT_OF_RANGE', [...path, 'capMs'], message))
  }
  return wrong
}

export function timeProblems(ms: number, path: ProblemPath): readonly Problem[] {
  return wholeProblems(ms, TIME, path)
}

export function placesProblems(places: number, path: ProblemPath): readonly Problem[] {
  return wholeProblems(places, PLACES, path)
}

function wholeProblems(value: number, { from, to }: Range, path: ProblemPath): readonly Problem[] {
  if (Number.isInteger(value) && value >= from && value <= to) return []
  const message = `${path.at(-1)} is ${value}; it must be a whole number from ${from} to ${to}`
  return [problem('OUT_OF_RANGE', path, message)]
}
