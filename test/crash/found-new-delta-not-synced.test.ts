// FOUND BY THE CRASH TESTS. The story: a snapshot is to be made, a new delta gets its name, and then the sync of the folder
// fails. The writer says so and goes on in the old delta, beside the new one, which is there and empty. The next process
// goes on in the new one, after seqs that are in the old one. The one after that reads "seq 2 should come here, and seq 4
// does": a ledger that nobody has damaged can only be read.
import { expect, it } from 'vitest'
import { moveDocument } from '../../src/testing/conformance/commands.ts'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { FOLDER, Life } from './life.ts'

const journal = { snapshotSchedule: null }

it('goes on after the folder could not be synced when a new delta was begun', async () => {
  let isFailing = false
  const disk = new CrashDisk({
    faults: ({ op, path }) => (isFailing && op === 'syncFolder' && path === FOLDER ? 'EIO' : null),
  })
  const first = new Life({ disk, journal })
  await first.open()
  await first.do(moveDocument('a', 'fetching'))
  isFailing = true
  await expect(first.store.maintain()).rejects.toThrow('EIO')
  isFailing = false
  // It may write, or refuse to from now on. What it acknowledges has to stay.
  const written = await first.act(moveDocument('a', 'fetched')).then(
    () => 'fetched',
    () => 'fetching',
  )
  await first.close()
  for (const nth of [2, 3, 4]) {
    const life = new Life({ disk: disk.afterKill(), journal, nth })
    await life.open()
    await life.do(moveDocument(`b${nth}`, 'fetching'))
    await life.close()
    const again = new Life({ disk: life.disk.afterKill(), journal, nth: nth + 10 })
    await again.open()
    expect(again.complaints).toEqual([])
    expect(await again.store.get({ kind: 'document', tenant_id: 'acme', id: 'a' })).toMatchObject({
      state: written,
    })
    await again.do(moveDocument('c', 'fetching'))
    await again.close()
  }
})
