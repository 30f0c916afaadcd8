import { describe, expect, it } from 'vitest'
import type { AuditRecord } from '../../core/audit.ts'
import { BATCH_BYTES, FrameRing } from './frame-ring.ts'
import { selectionOf } from './selection.ts'

const ALL = selectionOf({}, null)
const ODD = selectionOf({ actor: 'odd' }, null)

function recordOf(seq: number, reason = ''): AuditRecord {
  return {
    seq,
    cursor: `c${seq}`,
    actor: seq % 2 === 1 ? 'odd' : 'even',
    reason,
  } as unknown as AuditRecord
}

function ringOf(from: number, to: number, { mostFrames = 100, mostBytes = 1e6 } = {}): FrameRing {
  const ring = new FrameRing({ cursor: `c${from - 1}`, seq: from - 1 }, { mostFrames, mostBytes })
  for (let seq = from; seq <= to; seq++) ring.push(recordOf(seq))
  return ring
}

function idsIn(bytes: Uint8Array | null | undefined): string[] {
  return [
    ...Buffer.from(bytes ?? [])
      .toString()
      .matchAll(/^id: (\w+)$/gm),
  ].map(([, id]) => id as string)
}

describe('ring of frames', () => {
  it('has all that comes after any of its places', () => {
    const ring = ringOf(5, 9)
    for (let seq = 4; seq <= 8; seq++) {
      const expected = ['c5', 'c6', 'c7', 'c8', 'c9'].slice(seq - 4)
      const batch = ring.batchAfter({ cursor: '', seq }, ALL)
      expect([ring.covers({ cursor: '', seq }), idsIn(batch?.bytes)]).toEqual([true, expected])
      expect(batch?.place).toEqual({ cursor: 'c9', seq: 9 })
    }
    expect(ring.covers({ cursor: 'c3', seq: 3 })).toBe(false)
    expect(ring.batchAfter(ring.end, ALL)).toBeNull()
  })

  it('waits for one who is ahead of it', () => {
    const ring = ringOf(1, 2)
    expect(ring.batchAfter({ cursor: 'c4', seq: 4 }, ALL)).toBeNull()
    for (const seq of [3, 4, 5]) ring.push(recordOf(seq))
    expect(idsIn(ring.batchAfter({ cursor: 'c4', seq: 4 }, ALL)?.bytes)).toEqual(['c5'])
  })

  it('knows its cursors, its floor among them, and no others', () => {
    const ring = ringOf(1, 50, { mostFrames: 3 })
    expect(['c46', 'c47', 'c48', 'c50', 'c51'].map((cursor) => ring.placeOf(cursor)?.seq)).toEqual([
      undefined,
      47,
      48,
      50,
      undefined,
    ])
  })

  it('keeps no more than it may, by count and by bytes', () => {
    const counted = ringOf(1, 1000, { mostFrames: 10 })
    expect([counted.covers({ cursor: '', seq: 990 }), counted.covers({ cursor: '', seq: 989 })]).toEqual([
      true,
      false,
    ])
    const sized = ringOf(1, 10, { mostBytes: 500 })
    expect(sized.covers({ cursor: '', seq: 0 })).toBe(false)
    sized.push(recordOf(11, 'x'.repeat(2000)))
    expect(sized.covers({ cursor: '', seq: 10 })).toBe(false)
    expect([sized.end.seq, sized.covers(sized.end)]).toEqual([11, true])
    sized.push(recordOf(12))
    expect(idsIn(sized.batchAfter({ cursor: 'c11', seq: 11 }, ALL)?.bytes)).toEqual(['c12'])
  })

  it('skips what is not asked for, and says how far it looked', () => {
    const batch = ringOf(1, 6).batchAfter({ cursor: '', seq: 1 }, ODD)
    expect([idsIn(batch?.bytes), batch?.frames, batch?.place.seq]).toEqual([['c3', 'c5'], 2, 6])
    const none = ringOf(1, 2).batchAfter({ cursor: '', seq: 1 }, ODD)
    expect(none).toEqual({ bytes: null, frames: 0, place: { cursor: 'c2', seq: 2 } })
  })

  it('makes the bytes once for all who stand at the same place, until there is more', () => {
    const ring = ringOf(1, 3)
    const place = { cursor: '', seq: 0 }
    const first = ring.batchAfter(place, ALL)
    expect(ring.batchAfter(place, selectionOf({}, null))).toBe(first)
    ring.push(recordOf(4))
    expect(idsIn(ring.batchAfter(place, ALL)?.bytes)).toEqual(['c1', 'c2', 'c3', 'c4'])
  })

  it('gives out only so much at once, but always one', () => {
    const ring = ringOf(1, 0)
    for (let seq = 1; seq <= 3; seq++) ring.push(recordOf(seq, 'x'.repeat(BATCH_BYTES)))
    const batch = ring.batchAfter({ cursor: '', seq: 0 }, ALL)
    expect([batch?.frames, batch?.place.seq]).toEqual([1, 1])
  })
})
