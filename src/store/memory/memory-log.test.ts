import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../core/audit.ts'
import { BadCursor } from '../../errors/input-errors.ts'
import { MemoryLog } from './memory-log.ts'

function logOf(...paths: readonly (readonly string[])[]): MemoryLog {
  const log = new MemoryLog()
  for (const path of paths) log.append({ event: 'moved', path, metadata: {} } as unknown as AuditEntry)
  return log
}

function short(records: Iterable<{ seq: number; old_state: string | null; new_state: string }>) {
  return [...records].map(({ seq, old_state, new_state }) => `${seq} ${old_state}→${new_state}`)
}

describe('memory log', () => {
  const log = logOf(['a', 'b'], ['b', 'c', 'd'], ['d', 'e'])
  const whole = ['1 a→b', '2 b→c', '3 c→d', '4 d→e']

  it('gives every state passed through a place of its own', () => {
    expect(log.lastSeq).toBe(4)
    expect(short(log.after(0))).toEqual(whole)
    expect(short(log.before(Number.POSITIVE_INFINITY))).toEqual(whole.toReversed())
  })

  it('reads on from any place, also from the middle of an entry', () => {
    for (let seq = 0; seq <= 4; seq++) {
      expect(short(log.after(seq))).toEqual(whole.slice(seq))
      expect(short(log.before(seq))).toEqual(whole.slice(0, Math.max(seq - 1, 0)).toReversed())
    }
  })

  it('is empty at first', () => {
    expect([new MemoryLog().lastSeq, [...new MemoryLog().after(0)]]).toEqual([0, []])
  })

  it('knows the cursors that it gave out, and no others', () => {
    expect([log.placeOf('0'), log.placeOf('4')]).toEqual([0, 4])
    for (const cursor of ['5', '-1', 'x']) expect(() => log.placeOf(cursor)).toThrow(BadCursor)
  })
})
