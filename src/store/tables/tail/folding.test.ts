import { expect, it } from 'vitest'
import { worldOfTurns } from '../../../../test/fixtures/world-of-turns.ts'
import { chunkOf, entry, setOf } from '../../../../test/tables/sample-set.ts'
import { Folding } from './folding.ts'
import { Known } from './known.ts'
import type { Folded, Tail } from './tail.ts'

const MUCH = 100

/** Puts everything in its place at once, and does not wait for that to be durable where nobody asks it to. */
class QuickTail {
  readonly apartMs = 0
  readonly atOnce = 1
  readonly much = MUCH
  readonly most = 200
  last = 0
  readonly asked: boolean[] = []

  async fold(_characters: number, mayReturn = false): Promise<Folded> {
    this.asked.push(mayReturn)
    return { seq: this.last, isAll: true, mayReturn }
  }
}

function folding() {
  const tail = new QuickTail()
  const known = new Known({ turn: 0, seq: 0 }, false)
  const world = worldOfTurns()
  const turns = async () => {
    await world.advanceBy(1000)
    for (let nth = 0; nth < 10; nth++) await world.timers.turn()
  }
  return { tail, known, turns, all: new Folding(tail as unknown as Tail, world, () => known) }
}

/** More than may be there. */
function write(known: Known, tail: QuickTail): void {
  const first_seq = tail.last + 1
  known.heard({ first_seq, set: setOf({ chunk: chunkOf(entry('x'.repeat(10 * MUCH))) }) })
  tail.last = known.mark.seq
}

it('counts what was put in its place as in the tail until something that was sent afterwards is durable', async () => {
  const { tail, known, all } = folding()
  write(known, tail)
  const before = all.sending()
  await all.room()
  expect(tail.asked).toEqual([true])
  expect(all.room()).toBeNull()
  expect(known.hasTail).toBe(true)
  const after = all.sending()
  all.appended(0, before)
  expect(known.hasTail).toBe(true)
  all.appended(0, after)
  expect(known.hasTail).toBe(false)
})

it('asks for it to be durable when nothing is written any more', async () => {
  const { tail, known, turns, all } = folding()
  write(known, tail)
  await all.room()
  expect(known.hasTail).toBe(true)
  await turns()
  expect(tail.asked.at(-1)).toBe(false)
  expect(known.hasTail).toBe(false)
})

it('whoever needs all of it in its place waits until that is durable', async () => {
  const { tail, known, all } = folding()
  write(known, tail)
  await all.all()
  expect(tail.asked).toEqual([false])
  expect(known.hasTail).toBe(false)
  expect(known.characters).toBe(0)
})

it('does not go on at once when it could not', async () => {
  const { tail, known, turns, all } = folding()
  let tries = 0
  tail.fold = async () => {
    tries++
    throw new Error('no server')
  }
  write(known, tail)
  await all.room()
  expect(tries).toBe(1)
  await turns()
  expect(tries).toBeLessThan(30)
})
