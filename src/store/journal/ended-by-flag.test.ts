import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { decide, keyOf } from '../../core/command.ts'
import { moveDocument } from '../../testing/conformance/commands.ts'
import { nodeDisk } from '../../world/node-disk.ts'
import { realWorld } from '../../world/world.ts'
import { EndedByFlag, endedByFlag } from './ended-by-flag.ts'
import { openJournal } from './journal.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-ended-'))
})

afterEach(() => rm(folder, { recursive: true }))

it('reads and writes until it is told to end, and lets go of everything after that', async () => {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const disk = endedByFlag(nodeDisk, flag)
  const file = await disk.open(`${folder}/one`)
  await file.write(0, Buffer.from('abc'))
  await file.writeThrough(3, Buffer.from('def'))
  const reader = await disk.openToRead(`${folder}/one`)
  expect(Buffer.from((await reader?.read(0, 6)) ?? []).toString()).toBe('abcdef')
  expect(await disk.openToRead(`${folder}/none`)).toBeNull()
  flag[0] = 1
  for (const more of [
    () => file.write(0, Buffer.from('x')),
    () => file.writeThrough(0, Buffer.from('x')),
    () => file.read(0, 1),
    () => reader?.read(0, 1),
    () => disk.open(`${folder}/two`),
    () => disk.openToRead(`${folder}/one`),
  ])
    await expect(more).rejects.toThrow(EndedByFlag)
  expect(await file.size()).toBe(6)
  await file.truncate(0)
  await file.sync()
  await Promise.all([file.close(), reader?.close()])
  await disk.remove(`${folder}/one`)
  expect(await readdir(folder)).toEqual([])
})

// The thread used to be ended from outside. When it was just about to compress something, Node ended the process.
it('ends a snapshot that is being made when the ledger is closed, and nothing of it is in the way later', async () => {
  const ledger = `${folder}/ledger`
  const options = { snapshotSchedule: null, snapshotAfterBytes: Number.MAX_SAFE_INTEGER } as const
  for (let time = 0; time < 3; time++) {
    const store = await openJournal(ledger, realWorld, options)
    const ids = Array.from({ length: 500 }, (_, nth) => `document-${time}-${nth}`)
    await Promise.all(
      ids.map((id) => {
        const command = moveDocument(id, 'fetching')
        return store.transact([keyOf(command)], (given) => decide(command, given))
      }),
    )
    const making = store.maintain()
    making.catch(() => {})
    await store.close()
    await expect(making).rejects.toThrow()
  }
  const store = await openJournal(ledger, realWorld, options)
  expect(await store.maintain()).toMatchObject({ compacted: true })
  expect((await store.stats()).records.document).toBe(1500)
  expect(await store.check()).toEqual([])
  await store.close()
  expect((await readdir(ledger)).filter((name) => name.endsWith('.tmp'))).toEqual([])
})
