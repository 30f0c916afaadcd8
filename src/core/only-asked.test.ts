import { expect, it } from 'vitest'
import { onlyAsked } from './only-asked.ts'

it('makes no ids, and knows of no claims and limits', () => {
  const given = onlyAsked(7, () => null)
  const key = { tenant_id: 't1', key: 'k' }
  expect([given.now, given.ids.next(), given.get('job', 't1', 'j1')]).toEqual([7, '', null])
  expect([given.ownerOf(key), given.isFull(key)]).toEqual([undefined, false])
})
