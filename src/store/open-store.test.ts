import { expect, it } from 'vitest'
import { UnknownEngine } from '../errors/input-errors.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import { openStore } from './open-store.ts'

it('opens an engine by its URL', async () => {
  const store = await openStore('memory:', virtualWorld())
  expect(store.capabilities.engine).toBe('memory')
})

it.each(['memory', 'mysql://x', '', null])('names the engines there are when %j opens none', async (url) => {
  const opening = openStore(url as string, virtualWorld())
  await expect(opening).rejects.toThrow(UnknownEngine)
  await expect(opening).rejects.toMatchObject({ next: expect.stringContaining('memory:') })
})
