// A ledger was closed while it looked after the others, and the service was not there any more. Whoever closed it was told so;
// and then nobody in particular once more, as a rejection that nobody handles, which ends a process.
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { submitJob } from '../../src/testing/conformance/commands.ts'
import { hurriedWorld } from './crash/cut-off.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'

it('tells only the one who closes it that it could not be closed in good order', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  let isGone = false
  const before = async ({ verb }: FakeRequest) => {
    if (!isGone) return
    // Who else is there is asked before anybody is looked after.
    if (verb === 'query') ask()
    await answered
    throw new Error('nobody is there')
  }
  const store = await openOn(new FakeTableService(new FakeAccount(), { before }), hurriedWorld())
  const command = submitJob('j')
  await store.transact([keyOf(command)], (given) => decide(command, given))
  const unhandled: unknown[] = []
  const listener = (error: unknown) => void unhandled.push(error)
  process.on('unhandledRejection', listener)
  try {
    isGone = true
    await asked
    const closing = expect(store.close()).rejects.toThrow('nobody is there')
    answer()
    await closing
    // Rejections are told of when everything else has had its turn.
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', listener)
  }
})
