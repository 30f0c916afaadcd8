import { describe, expect, it } from 'vitest'
import { explore } from './explore.ts'
import { JOBS } from './job-shapes.ts'

describe('every reachable state of a two-step job whose process crashes', () => {
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
