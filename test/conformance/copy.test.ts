// Ledgers are copied from every engine into every other, whole or going on where it was cut off.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { StoreSubject } from 'waybill/testing'
import type { DocumentRecord } from '../../src/core/document/record.ts'
import { copyLedger, openLedger } from '../../src/index.ts'
import { copyStore } from '../../src/store/copy-store.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import { MemoryStore } from '../../src/store/memory/memory-store.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { findAll } from '../../src/testing/conformance/reading.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { nodeDisk } from '../../src/world/node-disk.ts'
import { quickFolder } from '../fixtures/quick-folder.ts'
import { type CopyTarget, registerCopies, seen } from './copying.ts'

const journal = { snapshotSchedule: null } as const

/** A file of its own for every world. */
const folder = quickFolder('waybill-copies-')
const files = new Map<object, string>()

const fileOf = (world: object): string => {
  const file = files.get(world) ?? join(folder, `${files.size}.db`)
  files.set(world, file)
  return `sqlite:${file}`
}

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const MEMORY: StoreSubject = { name: 'memory', open: async (world) => new MemoryStore(world) }
const JOURNAL: StoreSubject = { name: 'journal', open: (world) => openJournal('/ledger', world, journal) }
const SQLITE: StoreSubject = {
  name: 'sqlite',
  open: (world) => openSqlite(fileOf(world.disk), { ...world, disk: nodeDisk }),
}

const TO_MEMORY: CopyTarget = { name: 'memory', open: async (world) => new MemoryStore(world), lasts: false }
const TO_JOURNAL: CopyTarget = {
  name: 'journal',
  open: (world) => openJournal('/copy', world, journal),
  lasts: true,
}
const TO_SQLITE: CopyTarget = {
  name: 'sqlite',
  open: (world) => openSqlite(fileOf(world.disk), { ...world, disk: nodeDisk }),
  lasts: true,
}

registerCopies({ sources: [MEMORY, JOURNAL], targets: [TO_MEMORY, TO_JOURNAL], runs: 4 })
registerCopies({ sources: [MEMORY, JOURNAL, SQLITE], targets: [TO_SQLITE], runs: 1 })
registerCopies({ sources: [SQLITE], targets: [TO_MEMORY, TO_JOURNAL], runs: 1 })

describe('copyLedger', () => {
  it('says how far it has come, and what it copied', async () => {
    const world = virtualWorld()
    {
      await using ledger = await openLedger('./from', { world })
      await ledger.documents.updateMany(
        Array.from({ length: 2500 }, (_, i) => ({ doc_id: `d${i}`, state: 'fetching' as const })),
      )
    }
    const heard: string[] = []
    const onProgress = ({ what, done, total }: { what: string; done: number; total: number }) =>
      void heard.push(`${what} ${done}/${total}`)
    expect(await copyLedger('./from', './to', { world, onProgress })).toMatchObject({
      copied_audit_records: 2500,
      audit_records: 2500,
      records: { document: 2500 },
    })
    expect(heard).toContain('history 2500/2500')
    expect(heard).toContain('documents 2500/2500')
    // Again, and nothing is left to do.
    expect(await copyLedger('./from', './to', { world })).toMatchObject({ copied_audit_records: 0 })
    {
      await using ledger = await openLedger('./from', { world })
      await ledger.documents.updateState('d0', 'fetched')
    }
    expect(await copyLedger('./from', './to', { world })).toMatchObject({ copied_audit_records: 1 })
  })

  it('takes tokens along: who was let in by the ledger is let in by its copy, and who was not is not', async () => {
    const world = virtualWorld()
    const minted = []
    {
      await using ledger = await openLedger('./from', { world })
      for (const name of ['kept', 'lost']) {
        minted.push(await ledger.tokens.mint({ name, role: 'viewer', tenants: ['acme'] }))
      }
      await ledger.tokens.revoke(minted[1]?.record.token_id ?? '')
    }
    expect(await copyLedger('./from', './to', { world })).toMatchObject({ records: { token: 2 } })
    await using copy = await openLedger('./to', { world })
    const verified = await Promise.all(minted.map(({ token }) => copy.tokens.verify(token)))
    expect(verified).toMatchObject([{ name: 'kept', tenants: ['acme'] }, null])
  })

  it('mixes nothing up', async () => {
    const world = virtualWorld()
    for (const name of ['one', 'two']) {
      await using ledger = await openLedger(`./${name}`, { world })
      await ledger.documents.updateState(name, 'fetching')
    }
    await expect(copyLedger('./one', './two', { world })).rejects.toMatchObject({
      code: 'NOT_EMPTY',
      exitCode: 4,
    })
    await expect(copyLedger('./one', './one', { world })).rejects.toMatchObject({ field: 'to' })
    await expect(copyLedger('./none', './two', { world })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
    await using _ = await openLedger('./one', { world })
    await expect(copyLedger('./one', './three', { world })).rejects.toMatchObject({ code: 'LEDGER_LOCKED' })
    await using two = await openLedger('./two', { world })
    expect((await two.stats()).audit_records).toBe(1)
  })
})

describe('a ledger whose history was removed in part', () => {
  // Found with a million documents: what the history does not tell was put into the copy without looking at what was
  // there. Where that was in a snapshot already and no longer in memory, it was counted a second time.
  it('is copied as it is, also when most of the copy is out of memory by then', async () => {
    const world = virtualWorld()
    const brief = { ...journal, keepSnapshots: 1, keepHistoryMs: 0 }
    const ids = Array.from({ length: 2500 }, (_, n) => `d${n}`)
    {
      await using ledger = await openLedger('/from', { world, journal: brief })
      for (const [state, metadata] of [
        ['fetching', { first: 1 }],
        ['failed', { second: 2 }],
      ] as const) {
        await world.advanceBy(1000)
        await ledger.documents.updateMany(ids.map((doc_id) => ({ doc_id, state, metadata })))
        await ledger.compact()
      }
      await ledger.documents.updateState('last', 'fetching')
      await ledger.compact()
      expect((await ledger.stats()).audit_records).toBe(5001)
    }
    const source = await openJournal('/from', world, brief)
    const target = await openJournal('/copy', world, { ...journal, snapshotAfterBytes: 1 })
    await copyStore(source, target)
    const { audit_records: _, ...copied } = await seen(target)
    const { audit_records: __, ...were } = await seen(source)
    assert.deepEqual(copied, were)
    expect((await target.stats()).records.document).toBe(2501)
    expect(await target.get({ kind: 'document', tenant_id: 'default', id: 'd7' })).toMatchObject({
      metadata: { first: 1, second: 2 },
    })
    await source.close()
    await target.close()
  })
})

describe('a ledger that took over an old log', () => {
  it('is copied as it is, and what its history keeps of the log is not laid over the documents', async () => {
    const world = virtualWorld()
    const log = await world.disk.open('/old.jsonl')
    const lines = Array.from({ length: 3000 }, (_, n) =>
      JSON.stringify({ doc_id: `d${n}`, state: n % 2 ? 'auto_done' : 'mine', timestamp: n, metadata: { n } }),
    )
    await log.write(0, Buffer.from(`${lines.join('\n')}\n`))
    await log.close()
    {
      await using ledger = await openLedger('/from', { world, journal })
      await ledger.migrate('/old.jsonl')
    }
    const source = await openJournal('/from', world, journal)
    const target = await openJournal('/copy', world, { ...journal, snapshotAfterBytes: 1 })
    await copyStore(source, target)
    for (const document of await findAll(source, { kind: 'document', limit: 1000 })) {
      // What it keeps for one is not laid over the other.
      expect(Object.keys(document.metadata)).toEqual(['n'])
    }
    assert.deepEqual(await seen(target), await seen(source))
    expect((await target.stats()).records.document).toBe(3000)
    expect(await target.check()).toEqual([])
    // The document that asOf tells is the document that was.
    const [some] = (await source.find({ kind: 'document', limit: 1 })).items
    await source.close()
    await target.close()
    await using ledger = await openLedger('/copy', { world, journal })
    const { etag: _, kind: __, ...told } = some as DocumentRecord
    expect(await ledger.documents.asOf('d0', world.clock.now())).toEqual({ ...told, complete: true })
  })
})
