import { expect, it } from 'vitest'
import { Turns } from '../wire/turns.ts'
import { RecentKeys } from './recent-keys.ts'

it('forgets the oldest when there are too many', () => {
  const keys = new RecentKeys(3)
  for (const key of ['a', 'b', 'a', 'c', 'd']) keys.add(key)
  expect(['a', 'b', 'c', 'd'].map((key) => keys.has(key))).toEqual([false, true, true, true])
})

it('lets so many in at once, the others in order, and forgets those that left the line', async () => {
  const turns = new Turns(1)
  const order: string[] = []
  const never = new AbortController().signal
  const leaving = new AbortController()
  const enter = async (name: string, signal = never) => {
    using _ = await turns.enter(signal)
    order.push(name)
  }
  const first = await turns.enter(never)
  const waiting = [enter('a'), enter('b', leaving.signal), enter('c')]
  leaving.abort(new Error('no longer wanted'))
  await expect(waiting[1]).rejects.toThrow('no longer wanted')
  expect(order).toEqual([])
  first[Symbol.dispose]()
  await Promise.all([waiting[0], waiting[2]])
  await enter('d')
  expect(order).toEqual(['a', 'c', 'd'])
  await expect(turns.enter(leaving.signal)).rejects.toThrow('no longer wanted')
})
