import { describe, expect, it } from 'vitest'
import { backoffMs } from '../backoff.ts'
import { DEFAULT_RESILIENCE, POLICIES, type ResiliencePolicy } from './policy.ts'
import { policyProblems } from './policy-problems.ts'

function waits(name: string, chance = 0): number[] {
  const { backoff, max_attempts } = POLICIES.get(name) as ResiliencePolicy
  return Array.from({ length: max_attempts - 1 }, (_, i) => backoffMs(backoff, i + 1, chance))
}

describe('A56: the policies that every topology has', () => {
  it('default: 3 attempts, 30 s, exponential 0.5 → 30 s with jitter, breaker 5 failures/60 s', () => {
    const policy = POLICIES.get('default') as ResiliencePolicy
    expect(policy).toMatchObject({
      max_attempts: 3,
      timeout_ms: 30_000,
      breaker: { failures: 5, recovery_ms: 60_000 },
    })
    expect(policy).not.toHaveProperty('rate')
    expect(waits('default')).toEqual([500, 1000])
    const all = (chance: number) =>
      Array.from({ length: 8 }, (_, i) => backoffMs(policy.backoff, i + 1, chance))
    expect(all(0)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
    // Chance only ever shortens a wait, by half at most.
    expect(all(0.5)).toEqual([375, 750, 1500, 3000, 6000, 12_000, 22_500, 22_500])
    expect(backoffMs(policy.backoff, 1, 0.999)).toBe(250)
  })

  it('gpu-bound: 1 attempt, 60 s, no backoff, breaker 5 failures/60 s', () => {
    expect(POLICIES.get('gpu-bound')).toMatchObject({
      max_attempts: 1,
      timeout_ms: 60_000,
      breaker: { failures: 5, recovery_ms: 60_000 },
    })
    expect(POLICIES.get('gpu-bound')).not.toHaveProperty('rate')
    expect(backoffMs((POLICIES.get('gpu-bound') as ResiliencePolicy).backoff, 1)).toBe(0)
  })

  it('polite-api: 10 attempts, 10 s, linear 1 → 10 s, 5 calls/s', () => {
    const policy = POLICIES.get('polite-api') as ResiliencePolicy
    expect(policy).toMatchObject({
      max_attempts: 10,
      timeout_ms: 10_000,
      rate: { max: 5, per_ms: 1000 },
    })
    expect(policy).not.toHaveProperty('breaker')
    expect(waits('polite-api')).toEqual([1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000])
    expect(waits('polite-api', 0.9)).toEqual(waits('polite-api'))
    expect(backoffMs(policy.backoff, 12)).toBe(10_000)
  })

  it('nothing is wrong with them', () => {
    for (const policy of POLICIES.values()) expect(policyProblems(policy, [])).toEqual([])
  })
})

describe('what a policy may not be', () => {
  const wrong: readonly [at: string, policy: Partial<ResiliencePolicy>][] = [
    ['max_attempts', { max_attempts: 0 }],
    ['max_attempts', { max_attempts: 101 }],
    ['max_attempts', { max_attempts: 1.5 }],
    ['timeout_ms', { timeout_ms: 0 }],
    ['timeout_ms', { timeout_ms: Number.NaN }],
    ['timeout_ms', { timeout_ms: 366 * 86_400_000 }],
    ['backoff.baseMs', { backoff: { kind: 'linear', baseMs: -1, capMs: 1 } }],
    ['backoff.capMs', { backoff: { kind: 'linear', baseMs: 1, capMs: 0.5 } }],
    ['backoff.capMs', { backoff: { kind: 'linear', baseMs: 2, capMs: 1 } }],
    ['backoff.jitter', { backoff: { kind: 'fibonacci', baseMs: 1, capMs: 1, jitter: 1.1 } }],
    ['backoff.jitter', { backoff: { kind: 'fibonacci', baseMs: 1, capMs: 1, jitter: Number.NaN } }],
    ['backoff.delaysMs', { backoff: { kind: 'list', delaysMs: [] } }],
    ['backoff.delaysMs.1', { backoff: { kind: 'list', delaysMs: [0, -1] } }],
    ['breaker.failures', { breaker: { failures: 0, recovery_ms: 1 } }],
    ['breaker.recovery_ms', { breaker: { failures: 1, recovery_ms: 0 } }],
    ['rate.max', { rate: { max: 0, per_ms: 1 } }],
    ['rate.per_ms', { rate: { max: 1, per_ms: 0 } }],
  ]
  it.each(wrong)('%s: %j', (at, part) => {
    const found = policyProblems({ ...DEFAULT_RESILIENCE, ...part }, [])
    expect(found.map(({ code, path }) => [code, path.join('.')])).toEqual([['OUT_OF_RANGE', at]])
    expect(found[0]?.message).not.toBe('')
  })

  it('is told of everything at once', () => {
    const backoff = { kind: 'linear', baseMs: -1, capMs: -1, jitter: -1 } as const
    const found = policyProblems({ max_attempts: 0, timeout_ms: 0, backoff }, ['policies', 'x'])
    expect(found.map(({ path }) => path.at(-1))).toEqual([
      'max_attempts',
      'timeout_ms',
      'baseMs',
      'capMs',
      'jitter',
    ])
  })
})
