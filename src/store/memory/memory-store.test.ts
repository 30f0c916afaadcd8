import { describe, expect, it } from 'vitest'
import { change, need } from '../../core/decision.ts'
import { BadCursor } from '../../errors/input-errors.ts'
import { virtualWorld } from '../../testing/virtual-world.ts'
import { MemoryStore } from './memory-store.ts'

// What every engine does is tested by the conformance suite; here is what only this one can be asked.
describe('memory store', () => {
  it('says what it can do', () => {
    expect(new MemoryStore(virtualWorld()).capabilities).toEqual({
      engine: 'memory',
      atomic: 'transaction',
      order: 'total',
      watch: 'push',
      multiProcess: false,
      counts: 'exact',
      findOrders: ['id', 'changed'],
      batch: true,
    })
  })

  it('has nothing to compact', async () => {
    const report = await new MemoryStore(virtualWorld()).maintain()
    expect(report).toEqual({ compacted: false, removed_audit_records: 0, snapshot: null })
  })

  it('crashes on a decision that asks for more: everything is there', async () => {
    const store = new MemoryStore(virtualWorld())
    const asking = store.transact([], () => need([{ kind: 'job', tenant_id: 't', id: 'j' }]))
    await expect(asking).rejects.toThrow(/everything is loaded/)
    await expect(store.transact([], () => change('fine', {}))).resolves.toEqual({ ok: true, answer: 'fine' })
  })

  // A watcher with a cursor from before a restart was ahead of the new log. It never slept and never saw anything,
  // and the whole process stood still.
  it('refuses a cursor that is ahead of the log, instead of spinning', async () => {
    const store = new MemoryStore(virtualWorld())
    expect(() => store.watch({ after: '7' })).toThrow(BadCursor)
    await expect(store.audit({ after: '7' })).rejects.toThrow(BadCursor)
  })
})
