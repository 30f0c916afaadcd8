import { describe, expect, it } from 'vitest'
import { explore } from './explore.ts'
import { LIMIT } from './job-shapes.ts'
import { protocolOf, queueOf } from './job-system.ts'

/** In a queue with limits that is paused and resumed all the time. */
const STEERED = [
  ['pulled, then pulled', protocolOf({ delivery: 'pull' }, { delivery: 'pull' })],
  ['pushed under a limit', protocolOf({ delivery: 'push', limits: LIMIT })],
] as const

const QUEUE = queueOf({ concurrency: 1, rate: { max: 1, per_ms: 40_000 } })

describe('every reachable state of a job in a queue that is steered', () => {
  for (const [name, protocol] of STEERED) {
    it(`keeps every law in a queue that is limited, paused and resumed: ${name}`, () => {
      const found = explore(protocol, { depth: 30, states: 10_000, crashes: false, queue: QUEUE })
      console.log(`${name}: ${found.states} states, ${found.transitions} transitions, depth ${found.depth}`)
      expect(found.states).toBeGreaterThanOrEqual(10_000)
      expect(found.endings).toEqual(['CANCELLED', 'FAILED_FINAL', 'SUCCEEDED'])
    })
  }
})
