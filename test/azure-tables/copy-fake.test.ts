// Ledgers are copied into tables in memory and back: the same as over the net, and many more of them.
import { describe, expect, it } from 'vitest'
import type { StoreSubject } from 'waybill/testing'
import { type Command, decide, keyOf } from '../../src/core/command.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { copyStore } from '../../src/store/copy-store.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { moveDocument, submitJob } from '../../src/testing/conformance/commands.ts'
import { MemoryDisk } from '../../src/testing/memory-disk.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { systemTimers } from '../../src/world/timers.ts'
import type { World } from '../../src/world/world.ts'
import { type CopyTarget, registerCopies, seen } from '../conformance/copying.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'

/** An account of its own for every world. */
const accounts = new WeakMap<object, FakeAccount>()

const open = (world: World) => {
  const account = accounts.get(world.disk) ?? new FakeAccount()
  accounts.set(world.disk, account)
  return openOn(new FakeTableService(account), { ...world, timers: systemTimers })
}

const MEMORY: StoreSubject = { name: 'memory', open: async (world) => new MemoryStore(world) }
const AZURE: StoreSubject = { name: 'azure tables in memory', open }
const TO_MEMORY: CopyTarget = { name: 'memory', open: async (world) => new MemoryStore(world), lasts: false }
const TO_AZURE: CopyTarget = { name: 'azure tables in memory', open, lasts: true }

registerCopies({ sources: [MEMORY], targets: [TO_AZURE], runs: 4 })
registerCopies({ sources: [AZURE], targets: [TO_MEMORY, TO_AZURE], runs: 4 })

describe('more than can be written at once', () => {
  const world = virtualWorld()
  const from = new MemoryStore(world)
  const run = (command: Command) => from.transact([keyOf(command)], (given) => decide(command, given))
  const copied = async () => {
    const to = await open({ ...world, disk: new MemoryDisk() })
    await copyStore(from, to)
    expect(await seen(to)).toEqual(await seen(from))
    expect(await to.check()).toEqual([])
    await to.close()
  }

  it('is copied in parts: a history of millions of characters', async () => {
    const text = 'x'.repeat(6000)
    for (let n = 0; n < 150; n++) {
      await run(moveDocument(`d${n}`, 'fetching', { metadata: { text } }))
      await run(moveDocument(`d${n}`, 'fetched', { metadata: { text } }))
    }
    await copied()
  })

  it('is copied in parts: jobs with much to carry', async () => {
    const payload = { text: 'x'.repeat(200_000) }
    for (let n = 0; n < 12; n++) await run(submitJob(`j${n}`, { payload, inFlightLimit: 100 }))
    await copied()
  })
})
