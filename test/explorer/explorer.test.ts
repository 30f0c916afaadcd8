import { describe, expect, it } from 'vitest'
import { explore } from './explore.ts'
import { JOBS } from './job-shapes.ts'

/**
 * Walks every state of a two-step job that the real kernel can reach: all interleavings of commands, repeated,
 * late and forged callbacks, and timers that fire on time or too late.
 */
describe('every reachable state of a two-step job', () => {
  // Breadth first, so the bound on states is also a bound on depth; each walk says how deep it got.
  for (const [name, protocol] of JOBS) {
    it(`A12 A13 A14 A15 A16 A18 keeps every law: ${name}`, () => {
      const found = explore(protocol, { depth: 30, states: 11_000, crashes: false })
      console.log(`${name}: ${found.states} states, ${found.transitions} transitions, depth ${found.depth}`)
      expect(found.states).toBeGreaterThanOrEqual(10_000)
      expect(found.endings).toEqual(['CANCELLED', 'FAILED_FINAL', 'SUCCEEDED'])
    })
  }
})
