import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Ledger } from '../../ledger/ledger.ts'
import { DEFAULT_SETTINGS } from '../../ledger/settings.ts'
import { type VirtualWorld, virtualWorld } from '../../testing/virtual-world.ts'
import { realWorld } from '../../world/world.ts'
import { START } from '../store.ts'
import { openJournal } from './journal.ts'
import { readNotice } from './journal-lock.ts'
import type { JournalOptions } from './journal-options.ts'

let world: VirtualWorld
let writer: Ledger
let reader: Ledger

async function open(options: JournalOptions): Promise<Ledger> {
  const store = await openJournal('/ledger', world, { snapshotSchedule: null, ...options })
  return new Ledger(store, DEFAULT_SETTINGS, world)
}

beforeEach(async () => {
  world = virtualWorld()
  writer = await open({})
  await writer.documents.updateState('a', 'fetching')
  reader = await open({ readOnly: true })
})

afterEach(async () => {
  await reader.close()
  await writer.close()
})

describe('a reader beside the writer', () => {
  it('sees what is there, and every change as soon as it is acknowledged', async () => {
    expect(await reader.documents.getState('a')).toBe('fetching')
    await writer.documents.updateState('a', 'fetched')
    expect(await reader.documents.getState('a')).toBe('fetched')
    expect(await reader.counts('document')).toMatchObject({ fetched: 1, fetching: 0 })
    expect((await reader.audit.query()).items).toHaveLength(2)
    expect(await reader.check()).toEqual([])
  })

  it('goes on when deltas are sealed and snapshots go under it', async () => {
    for (let round = 0; round < 5; round++) {
      await writer.documents.updateState(`done-${round}`, 'skipped')
      await writer.compact()
      await world.advanceBy(1000)
      await writer.documents.updateState(`after-${round}`, 'fetching')
      expect(await reader.documents.getState(`done-${round}`)).toBe('skipped')
      expect(await reader.documents.getState(`after-${round}`)).toBe('fetching')
    }
    expect((await reader.documents.list()).items).toEqual((await writer.documents.list()).items)
    expect(await reader.audit.query()).toEqual(await writer.audit.query())
    expect((await reader.stats()).audit_records).toBe((await writer.stats()).audit_records)
  })

  it('reads on from where it was when it did not look for long', async () => {
    for (let i = 0; i < 3; i++) {
      await writer.documents.updateState(`d${i}`, 'fetching')
      await writer.compact()
      await world.advanceBy(1000)
    }
    await writer.documents.updateState('d0', 'fetched')
    expect(await reader.documents.getState('d0')).toBe('fetched')
    expect((await reader.documents.list()).items).toHaveLength(4)
  })

  it('follows the history, by looking now and then', async () => {
    const seen: string[] = []
    const following = (async () => {
      for await (const { id, new_state } of reader.events({ after: START })) {
        seen.push(`${id} ${new_state}`)
        if (seen.length === 3) return
      }
    })()
    await world.advanceBy(1000)
    expect(seen).toEqual(['a fetching'])
    await writer.documents.updateState('b', 'fetching')
    await writer.compact()
    await writer.documents.updateState('b', 'fetched')
    await world.advanceBy(1000)
    await following
    expect(seen).toEqual(['a fetching', 'b fetching', 'b fetched'])
  })

  it('changes nothing, and says why', async () => {
    await expect(reader.documents.updateState('a', 'fetched')).rejects.toMatchObject({
      code: 'LEDGER_READ_ONLY',
    })
    await expect(reader.compact()).rejects.toMatchObject({ code: 'LEDGER_READ_ONLY' })
    await expect(reader.advance()).rejects.toMatchObject({ code: 'LEDGER_READ_ONLY' })
    expect(reader.capabilities.watch).toBe('poll')
  })

  it('opens a folder in which there is nothing', async () => {
    const store = await openJournal('/nowhere', world, { readOnly: true, create: true })
    expect(await store.get({ kind: 'document', tenant_id: 't', id: 'x' })).toBeNull()
    expect(await store.stats()).toMatchObject({ audit_records: 0, storage: { snapshot: null } })
    await store.close()
    expect(await world.disk.list('/')).not.toContain('nowhere')
  })
})

describe('a folder without a ledger', () => {
  it.each([{ readOnly: true }, { create: false }])(
    'is refused by %j, and stays as it is',
    async (options) => {
      const { disk } = world
      await disk.makeFolder('/empty')
      await disk.makeFolder('/old')
      await (await disk.open('/old/ledger.jsonl')).close()
      const refused = (folder: string) => expect(openJournal(folder, world, options)).rejects
      await refused('/nowhere').toMatchObject({
        code: 'FILE_NOT_FOUND',
        message: 'There is no /nowhere',
        next: expect.stringContaining('waybill init /nowhere'),
      })
      await refused('/empty').toMatchObject({ code: 'NOT_A_LEDGER', message: '/empty holds no ledger' })
      await refused('/old').toMatchObject({ next: expect.stringContaining('waybill ledger migrate') })
      expect(await disk.list('/')).not.toContain('nowhere')
      expect([await disk.list('/empty'), await disk.list('/old')]).toEqual([[], ['ledger.jsonl']])
    },
  )

  it('is not a file either', async () => {
    for (const options of [{}, { readOnly: true }]) {
      const opening = openJournal(import.meta.filename, realWorld, options)
      await expect(opening).rejects.toMatchObject({
        code: 'NOT_A_LEDGER',
        next: expect.stringContaining('file'),
      })
    }
  })
})

describe('a second writer', () => {
  it('is refused, and told who has the ledger', async () => {
    await expect(open({})).rejects.toMatchObject({
      code: 'LEDGER_LOCKED',
      message: `/ledger is locked by pid ${process.pid}`,
      next: expect.stringContaining('readOnly'),
    })
  })

  it('is told where a server answers for it for as long as one does, and never how to get in', async () => {
    const secret = 'nobody else knows this'
    await writer.announce({ server: 'http://127.0.0.1:7420', secret })
    const refused = await open({}).catch((error: Error) => error)
    expect(refused).toMatchObject({ details: { server: 'http://127.0.0.1:7420' } })
    expect(JSON.stringify(refused) + inspect(refused)).not.toContain(secret)
    expect(await readNotice(world.disk, '/ledger')).toEqual({ server: 'http://127.0.0.1:7420', secret })
    await writer.announce(null)
    await expect(open({})).rejects.toMatchObject({ details: { pid: process.pid, server: null } })
    expect(await readNotice(world.disk, '/ledger')).toBeNull()
  })

  it('is told where a server answers for it', async () => {
    await writer.close()
    writer = await open({ server: 'http://127.0.0.1:8080' })
    await expect(open({})).rejects.toThrow(
      `/ledger is locked by pid ${process.pid}, server at http://127.0.0.1:8080`,
    )
  })

  it('may come when the first has closed it', async () => {
    await writer.close()
    writer = await open({})
    expect(await writer.documents.getState('a')).toBe('fetching')
  })
})

describe('options', () => {
  it.each([
    [{ keepSnapshots: 0 }, 'keepSnapshots'],
    [{ keepHistoryMs: -1 }, 'keepHistoryMs'],
    [{ snapshotAfterBytes: Number.NaN }, 'snapshotAfterBytes'],
    [{ snapshotSchedule: 'at noon' }, 'snapshotSchedule'],
  ])('%j is refused by name', async (options, field) => {
    await expect(openJournal('/other', world, options)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      field,
    })
  })
})
