import { randomInt } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { LedgerDamaged, UnknownFormat } from '../../../src/errors/journal-errors.ts'
import {
  GivenRecords,
  sampleDocument,
  sampleFacts,
  sampleJob,
  sampleOutbox,
} from '../../../src/store/journal/snapshot/sample-records.ts'
import { Snapshot } from '../../../src/store/journal/snapshot/snapshot.ts'
import { writeSnapshot } from '../../../src/store/journal/snapshot/write-snapshot.ts'
import { MemoryDisk } from '../../../src/testing/memory-disk.ts'
import { isLong } from '../random/seeds.ts'

/** `npm test` looks at every so manieth byte, another part of them every time; `npm run test:crash:long` at all. */
const EVERY = isLong ? 1 : 11

const START = isLong ? 0 : randomInt(EVERY)

const GIVEN = new GivenRecords().put(
  sampleDocument({ doc_id: 'a' }),
  sampleJob({ waits_for: ['x'] }),
  sampleOutbox({ state: 'PENDING' }),
)

const disk = new MemoryDisk()
let good: Uint8Array

async function write(path: string, bytes: Uint8Array): Promise<void> {
  const file = await disk.open(path)
  await file.truncate(0)
  await file.write(0, bytes)
}

/** What a reader gets who does not verify first: the truth, or an exception. */
async function whatIsRead(snapshot: Snapshot): Promise<unknown[]> {
  const found: unknown[] = [snapshot.head]
  const attempts = [
    async () => [snapshot.work.waiting.at(0), snapshot.work.rows.at(0)],
    () => snapshot.job('default', 'job-1'),
    () => snapshot.get('states', 'default', 'a'),
    () => snapshot.find('document', {}, 'changed', { after: null, size: 10, shadowed: () => false }),
  ]
  for (const attempt of attempts) {
    try {
      found.push(await attempt())
    } catch (error) {
      expect(error).toBeInstanceOf(LedgerDamaged)
      found.push('damaged')
    }
  }
  return found
}

/** Null when the file cannot even be opened. */
async function opened(path: string): Promise<Snapshot | null> {
  try {
    return await Snapshot.open(disk, path)
  } catch (error) {
    if (error instanceof LedgerDamaged || error instanceof UnknownFormat) return null
    throw error
  }
}

beforeAll(async () => {
  const facts = sampleFacts({ document_count: 1 })
  await writeSnapshot({ disk, path: '/good', base: null, facts, records: GIVEN.tables, work: GIVEN.work })
  const file = await disk.openToRead('/good')
  good = (await file?.read(0, 1e6)) as Uint8Array
})

describe('damage to a snapshot', () => {
  it('is noticed in every byte, and nothing wrong is read before it is', async () => {
    const truth = await whatIsRead((await opened('/good')) as Snapshot)
    for (let at = START; at < good.length; at += EVERY) {
      const bad = Uint8Array.from(good)
      bad[at] = (bad[at] as number) ^ (1 << (at % 8))
      await write('/bad', bad)
      const snapshot = await opened('/bad')
      if (snapshot === null) continue
      expect((await snapshot.verify()).length, `byte ${at}`).toBeGreaterThan(0)
      for (const [i, found] of (await whatIsRead(snapshot)).entries()) {
        if (found !== 'damaged') expect(found, `byte ${at}`).toEqual(truth[i])
      }
      await snapshot.close()
    }
  }, 60_000)

  it('is noticed wherever the file ends too early', async () => {
    for (let length = START; length < good.length; length += EVERY) {
      await write('/bad', good.subarray(0, length))
      expect(await opened('/bad'), `length ${length}`).toBeNull()
    }
  })

  it('is named by file and byte, for every place', async () => {
    const snapshot = (await opened('/good')) as Snapshot
    const [page] = snapshot.run('states', 'records').pages
    const [other] = snapshot.run('jobs', 'records').pages
    const bad = Uint8Array.from(good)
    bad.fill(0, page?.from, (page?.from ?? 0) + 30)
    bad.fill(0, other?.at, (other?.at ?? 0) + 30)
    await write('/bad', bad)
    const findings = await ((await opened('/bad')) as Snapshot).verify()
    const places = findings.map(({ where }) => where)
    expect(places).toContain('/bad, byte 0')
    expect(places).toContain(`/bad, byte ${page?.from}`)
    expect(places).toContain(`/bad, byte ${other?.at}`)
  })
})
