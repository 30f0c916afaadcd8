import type { Arbitrary } from 'fast-check'
import type { Match } from './intents.ts'

export type FastCheck = typeof import('fast-check')

export const TENANTS = ['acme', 'Zeta'] as const

/** Mostly one of them, so that its jobs meet. */
export function tenant(fc: FastCheck): Arbitrary<string> {
  return fc.constantFrom(TENANTS[0], TENANTS[0], ...TENANTS)
}

export function match(fc: FastCheck): Arbitrary<Match> {
  return fc.constantFrom('any', 'any', 'any', 'any', 'current', 'wrong')
}

export function seldom(fc: FastCheck): Arbitrary<boolean> {
  return fc.nat(7).map((n) => n === 7)
}

export function often(fc: FastCheck): Arbitrary<boolean> {
  return fc.nat(7).map((n) => n !== 7)
}
