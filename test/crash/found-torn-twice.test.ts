// FOUND BY THE CRASH TESTS. The story: a crash cuts a batch off, and the next process keeps what there is of it in a file that
// is named after its place. That process is cut off at the same place. What it left is kept in a file of the same name,
// and what the first had left is gone, though nothing is ever to be removed.
import { expect, it } from 'vitest'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { withFile } from './damage/damaged-ledger.ts'
import { FOLDER, Life } from './life.ts'

const journal = { snapshotSchedule: null }

it('keeps what a crash left half-written also when the next one leaves something at the same place', async () => {
  let disk = new CrashDisk()
  const path = `${FOLDER}/delta-000000000000001.jsonl`
  const leftovers = ['{"seq":1,"doc_id":"first', '{"seq":1,"doc_id":"the second']
  const first = new Life({ disk, journal })
  await first.open()
  disk = disk.afterKill()
  for (const [n, text] of leftovers.entries()) {
    const end = disk.files().get(path)?.length as number
    await withFile(disk, path, (file) => file.write(end, Buffer.from(text)))
    await new Life({ disk, journal, nth: n + 2 }).open()
    disk = disk.afterKill()
  }
  const kept = [...disk.files()].filter(([name]) => name.endsWith('.torn'))
  expect(kept.map(([, bytes]) => Buffer.from(bytes).toString()).sort()).toEqual(leftovers.sort())
})
