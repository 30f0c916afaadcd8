import { describe, expect, it } from 'vitest'
import { jobMachine } from '../../../../src/core/machines/job.ts'
import { namesOf, sharesOf, sumOf } from './state-shares.ts'

const shares = sharesOf(jobMachine, { QUEUED: 3, SUCCEEDED: 7 })

describe('counts by state', () => {
  it('have every state of the machine, in its order, zeros too', () => {
    expect(shares.map(({ state }) => state)).toEqual(Object.keys(jobMachine.states))
    expect(shares.find(({ state }) => state === 'CANCELLED')?.count).toBe(0)
    expect(sumOf(shares)).toBe(10)
  })

  it('know which are open, and how each is to be taken', () => {
    const open = shares.filter(({ isOpen }) => isOpen)
    expect(namesOf(open)).toBe('QUEUED,DISPATCHING,IN_PROGRESS,CANCELLING')
    expect(sumOf(open)).toBe(3)
    expect(shares.find(({ state }) => state === 'SUCCEEDED')?.tone).toBe('good')
  })
})
