import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Ledger } from '../../ledger/ledger.ts'
import { DEFAULT_SETTINGS } from '../../ledger/settings.ts'
import { type VirtualWorld, virtualWorld } from '../../testing/virtual-world.ts'
import { openJournal } from './journal.ts'
import type { JournalStore } from './journal-store.ts'

const FOLDER = '/ledger'

async function open(world: VirtualWorld): Promise<{ ledger: Ledger; store: JournalStore }> {
  const store = await openJournal(FOLDER, world, { snapshotSchedule: null })
  return { store, ledger: new Ledger(store, DEFAULT_SETTINGS, world) }
}

/** Documents that are at rest when this is done. */
async function complete(ledger: Ledger, ids: readonly string[]): Promise<void> {
  for (const id of ids) await ledger.documents.updateState(id, 'skipped', { metadata: { id } })
}

/** Changes a byte of the newest snapshot where it has this document. */
async function damageNewestSnapshot({ disk }: VirtualWorld, id: string): Promise<string> {
  const name = (await disk.list(FOLDER)).filter((one) => one.startsWith('snapshot-')).at(-1)
  const path = `${FOLDER}/${name}`
  const file = await disk.open(path)
  const bytes = Buffer.from(await file.read(0, await file.size()))
  const at = startOfMembers(bytes).find((start, index, starts) => {
    const text = gunzipSync(bytes.subarray(start, starts[index + 1])).toString()
    return text.startsWith(`"${id}":`)
  })
  await file.write((at ?? 0) + 20, Buffer.from([~(bytes[(at ?? 0) + 20] as number)]))
  await file.close()
  return path
}

function startOfMembers(bytes: Buffer): readonly number[] {
  const starts: number[] = []
  for (let at = 0; at !== -1; at = bytes.indexOf(MEMBER, at + 1)) starts.push(at)
  return starts
}

const MEMBER = Buffer.from([0x1f, 0x8b, 0x08])

const FIRST = ['a', 'b', 'c']
const SECOND = ['d', 'e', 'f']

async function twoSnapshots(): Promise<VirtualWorld> {
  const world = virtualWorld()
  const { ledger } = await open(world)
  await complete(ledger, FIRST)
  await ledger.compact()
  await world.advanceBy(1000)
  await complete(ledger, SECOND)
  await ledger.documents.updateState('open', 'fetching')
  await ledger.compact()
  await ledger.close()
  return world
}

describe('a snapshot that turns out to be damaged when it is read', () => {
  it('A38 is replaced by the one before it and the history since, with a warning', async () => {
    const world = await twoSnapshots()
    const damaged = await damageNewestSnapshot(world, 'a')
    const { ledger, store } = await open(world)
    expect(store.journal.image.base?.path).toBe(damaged)
    for (const id of [...FIRST, ...SECOND]) {
      expect(await ledger.documents.get(id)).toMatchObject({ state: 'skipped', metadata: { id } })
    }
    expect(await ledger.documents.getState('open')).toBe('fetching')
    expect(await ledger.documents.get('never')).toBeNull()
    expect(store.journal.image.base?.path).not.toBe(damaged)
    expect(world.logged.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { file: damaged } },
    ])
    expect((await ledger.documents.list()).items).toHaveLength(7)
    expect(await ledger.counts('document')).toMatchObject({ skipped: 6, fetching: 1 })
    await ledger.close()
  })

  it('does not get into the next snapshot', async () => {
    const world = await twoSnapshots()
    await damageNewestSnapshot(world, 'a')
    const { ledger } = await open(world)
    await complete(ledger, ['g'])
    expect(await ledger.compact()).toMatchObject({ compacted: true })
    await ledger.close()
    const { ledger: again } = await open(world)
    expect((await again.documents.list()).items.map(({ doc_id }) => doc_id)).toEqual([
      ...[...FIRST, ...SECOND, 'g'],
      'open',
    ])
    expect(await again.check()).toEqual([])
    await again.close()
  })

  it('is an error that names the place when there is nothing to go back to', async () => {
    const world = virtualWorld()
    const { ledger } = await open(world)
    await complete(ledger, FIRST)
    await ledger.compact()
    await ledger.close()
    const damaged = await damageNewestSnapshot(world, 'a')
    for (const name of await world.disk.list(`${FOLDER}/audit`))
      await world.disk.remove(`${FOLDER}/audit/${name}`)
    const { ledger: again } = await open(world)
    await expect(again.documents.get('b')).rejects.toMatchObject({
      code: 'LEDGER_DAMAGED',
      place: { file: damaged },
    })
    await again.close()
  })
})
