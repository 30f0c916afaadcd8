import { describe, expect, it } from 'vitest'
import { isEmulated, openTestLedger } from '../../test/fixtures/test-ledger.ts'
import { WriterFailed } from '../errors/journal-errors.ts'
import { openLedger } from '../open-ledger.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import { realWorld } from '../world/world.ts'
import { type DocumentUpdate, type RefusedUpdate, updateMany } from './update-many.ts'

describe('many updates', () => {
  it('are made, each by itself, and those of one document in their order', async () => {
    await using ledger = await openLedger('./many', { world: virtualWorld() })
    const refusals: RefusedUpdate[] = []
    async function* updates(): AsyncGenerator<DocumentUpdate> {
      for (let i = 0; i < 2000; i++) {
        yield { doc_id: `d${i}`, state: 'fetching', adapter: 'web' }
        yield { doc_id: `d${i}`, state: i % 10 === 0 ? 'indexed' : 'fetched' }
        if (i % 500 === 0) yield { doc_id: '', state: 'fetching' }
      }
    }
    const report = await ledger.documents.updateMany(updates(), {
      concurrency: 64,
      onRefused: (refused) => void refusals.push(refused),
    })
    expect(report).toMatchObject({ updated: 3800, refused: 204 })
    expect(report.refusals).toEqual(refusals)
    expect(refusals.toSorted((a, b) => a.index - b.index).slice(0, 2)).toMatchObject([
      { index: 1, update: { doc_id: 'd0' }, error: { code: 'INVALID_STATE_TRANSITION' } },
      { index: 2, update: { doc_id: '' }, error: { code: 'INVALID_INPUT' } },
    ])
    expect(await ledger.counts('document')).toMatchObject({ fetched: 1800, fetching: 200 })
  })

  // No rule of an engine is in it, and 1,500 requests.
  it.skipIf(isEmulated)('tells at most a thousand refusals at the end', async () => {
    await using ledger = await openTestLedger()
    const updates = Array.from({ length: 1500 }, (_, i) => ({ doc_id: `d${i}`, state: 'parsed' as const }))
    const { refused, refusals } = await ledger.documents.updateMany(updates)
    expect([refused, refusals.length]).toEqual([1500, 1000])
  })

  it('never has more under way than it may, and none of one document beside another', async () => {
    let [now, most] = [0, 0]
    const documents = new Set<string>()
    const updates = Array.from({ length: 300 }, (_, i) => ({
      doc_id: `d${i % 7}`,
      state: 'fetching' as const,
    }))
    await updateMany(updates, { concurrency: 5 }, async ({ doc_id }) => {
      expect(documents.has(doc_id)).toBe(false)
      documents.add(doc_id)
      most = Math.max(most, ++now)
      await realWorld.timers.turn()
      documents.delete(doc_id)
      now--
    })
    expect(most).toBe(5)
  })

  it('stop at what would befall all the others too, when those under way are done', async () => {
    let asked = 0
    let done = 0
    const updates = Array.from({ length: 1000 }, (_, i) => ({ doc_id: `d${i}`, state: 'fetching' as const }))
    const made = updateMany(updates, { concurrency: 10 }, async () => {
      if (++asked === 20) throw new WriterFailed('ledger', new Error('EIO'))
      await Promise.resolve()
      done++
    })
    await expect(made).rejects.toThrow(WriterFailed)
    expect(asked).toBeLessThan(40)
    expect(done).toBe(asked - 1)
  })

  it('stop when they cannot be read, or what is told of refusals throws', async () => {
    async function* broken(): AsyncGenerator<DocumentUpdate> {
      yield { doc_id: 'd', state: 'fetching' }
      throw new Error('the list ends here')
    }
    await using ledger = await openTestLedger()
    await expect(ledger.documents.updateMany(broken())).rejects.toThrow('the list ends here')
    expect(await ledger.documents.getState('d')).toBe('fetching')
    const onRefused = () => {
      throw new Error('enough')
    }
    const refused = ledger.documents.updateMany([{ doc_id: 'd', state: 'indexed' }], { onRefused })
    await expect(refused).rejects.toThrow('enough')
  })
})
