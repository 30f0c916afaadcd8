import { describe, expect, it } from 'vitest'
import { explore } from './explore.ts'
import { protocolOf, queueOf } from './job-system.ts'

const LIMIT = [{ key: 'gpu', max: 1 }]
const RATE = [{ key: 'door', max: 1, per_ms: 50_000 }]
const TIMEOUT = { timeout_ms: 90_000 }

const JOBS = [
  ['pushed, then pushed', protocolOf({ delivery: 'push' }, { delivery: 'push' })],
  ['pushed, then pulled', protocolOf({ delivery: 'push' }, { delivery: 'pull' })],
  [
    'pulled, then pushed under a limit',
    protocolOf({ delivery: 'pull' }, { delivery: 'push', limits: LIMIT }),
  ],
  [
    'pulled under a limit, then pulled',
    protocolOf({ delivery: 'pull', limits: LIMIT }, { delivery: 'pull' }),
  ],
  [
    'pulled at a rate, then pushed, both with a timeout',
    protocolOf({ delivery: 'pull', limits: RATE, policy: TIMEOUT }, { delivery: 'push', policy: TIMEOUT }),
  ],
] as const

/** In a queue with limits that is paused and resumed all the time. */
const STEERED = [
  ['pulled, then pulled', protocolOf({ delivery: 'pull' }, { delivery: 'pull' })],
  ['pushed under a limit', protocolOf({ delivery: 'push', limits: LIMIT })],
] as const

const QUEUE = queueOf({ concurrency: 1, rate: { max: 1, per_ms: 40_000 } })

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

  for (const [name, protocol] of STEERED) {
    it(`keeps every law in a queue that is limited, paused and resumed: ${name}`, () => {
      const found = explore(protocol, { depth: 30, states: 10_000, crashes: false, queue: QUEUE })
      console.log(`${name}: ${found.states} states, ${found.transitions} transitions, depth ${found.depth}`)
      expect(found.states).toBeGreaterThanOrEqual(10_000)
      expect(found.endings).toEqual(['CANCELLED', 'FAILED_FINAL', 'SUCCEEDED'])
    })
  }

  for (const [name, protocol] of JOBS) {
    it(`A17 is repaired by advance after a crash between any two rows: ${name}`, () => {
      const found = explore(protocol, { depth: 9, states: 6_000, crashes: true })
      console.log(
        `${name}, torn: ${found.states} states, ${found.transitions} transitions, depth ${found.depth}`,
      )
      expect(found.endings).toEqual(['CANCELLED', 'FAILED_FINAL', 'SUCCEEDED'])
    })
  }
})
