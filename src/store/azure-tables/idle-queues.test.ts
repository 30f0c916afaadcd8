import { describe, expect, it } from 'vitest'
import { IdleQueues } from './idle-queues.ts'

const LANE = 3

describe('idle queues', () => {
  it('are idle in the lane that was looked at, until something is heard of them there', () => {
    const idle = new IdleQueues()
    expect(idle.has(LANE, ['a'])).toBe(false)
    idle.add([LANE], ['a', 'b'], idle.now([LANE]))
    expect(idle.has(LANE, ['a', 'b'])).toBe(true)
    expect(idle.has(LANE + 1, ['a'])).toBe(false)
    idle.hear(LANE, [])
    idle.hear(LANE + 1, ['a'])
    expect(idle.has(LANE, ['a', 'b'])).toBe(true)
    idle.hear(LANE, ['a'])
    expect(idle.has(LANE, ['a'])).toBe(false)
    expect(idle.has(LANE, ['b'])).toBe(true)
    idle.hear(LANE, null)
    expect(idle.has(LANE, ['b'])).toBe(false)
  })

  it('are not idle when something was heard while they were looked at', () => {
    const idle = new IdleQueues()
    const then = idle.now([LANE])
    idle.hear(LANE, ['b'])
    idle.add([LANE], ['a'], then)
    expect(idle.has(LANE, ['a'])).toBe(false)
  })
})
