import { describe, expect, it } from 'vitest'
import { EVERYBODY } from '../../core/queue/record.ts'
import { virtualWorld } from '../../testing/virtual-world.ts'
import { noCell } from './azure-cell.ts'
import { KnownQueues } from './known-queues.ts'

const CELL = noCell({ kind: 'queue', tenant_id: EVERYBODY, id: 'ocr' })

describe('what was decided about queues', () => {
  // Found by simulation: the answer was slow, and a second counted from when it came. Until then the queue had been paused for
  // two seconds, and work was still handed out of it.
  it('is known for a second from when it was asked for, however long the answer took', async () => {
    const world = virtualWorld()
    const queues = new KnownQueues(world.timers)
    const know = queues.reading()
    await world.advanceBy(900)
    know([CELL])
    expect(queues.get('ocr')).toBe(CELL)
    await world.advanceBy(100)
    expect(queues.get('ocr')).toBeUndefined()
    const tooLate = queues.reading()
    await world.advanceBy(1000)
    tooLate([CELL])
    expect(queues.get('ocr')).toBeUndefined()
  })

  it('is not known when this process has decided something meanwhile', () => {
    const queues = new KnownQueues(virtualWorld().timers)
    const know = queues.reading()
    queues.forget('ocr')
    know([CELL])
    expect(queues.get('ocr')).toBeUndefined()
  })
})
