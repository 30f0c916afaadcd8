import { expect, it } from 'vitest'
import { fromIso } from '../time.ts'
import { type TokenRecord, tokenProblem } from './record.ts'

const NOON = '2025-06-01T12:00:00.000Z'

it.each<[Pick<TokenRecord, 'state' | 'expires_at'>, number, ReturnType<typeof tokenProblem>]>([
  [{ state: 'active', expires_at: null }, 0, null],
  [{ state: 'active', expires_at: NOON }, -1, null],
  [{ state: 'active', expires_at: NOON }, 0, 'expired'],
  [{ state: 'active', expires_at: NOON }, 1, 'expired'],
  [{ state: 'revoked', expires_at: null }, 0, 'revoked'],
  [{ state: 'revoked', expires_at: NOON }, 1, 'revoked'],
])('a token %j is asked for %i ms after noon: %s', (token, after, problem) => {
  expect(tokenProblem(token, fromIso(NOON) + after)).toBe(problem)
})
