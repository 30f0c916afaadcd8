import { describe, expect, it } from 'vitest'
import { explore } from './explore.ts'
import { STAGED } from './job-shapes.ts'

describe('every reachable state of a job that others have a say in', () => {
  for (const [name, protocol, request] of STAGED) {
    for (const crashes of [false, true]) {
      it(`A50 A54 A69 keeps every law${crashes ? ', also between two rows of a change' : ''}: ${name}`, () => {
        const found = explore(protocol, { depth: 30, states: 4_000, crashes, request })
        console.log(`${name}: ${found.states} states, ${found.transitions} transitions, depth ${found.depth}`)
        expect(found.states).toBeGreaterThanOrEqual(1_000)
        expect(found.endings).toEqual(['CANCELLED', 'FAILED_FINAL', 'SUCCEEDED'])
      })
    }
  }
})
