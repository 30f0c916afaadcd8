import { spawnSync } from 'node:child_process'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import type { DocumentState } from '../../src/core/machines/document.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import { moveDocument, onJob, submitJob, TENANT } from '../../src/testing/conformance/commands.ts'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { realWorld } from '../../src/world/world.ts'
import { compareStore } from '../crash/compare-ledger.ts'
import { ExpectedLedger } from '../crash/expected-ledger.ts'
import { jobs } from '../crash/histories/jobs.ts'
import { FOLDER, Life } from '../crash/life.ts'
import { filesIn } from '../crash/processes/acknowledged.ts'
import { scratch } from '../e2e/scratch.ts'

const DAY_MS = 24 * 60 * 60_000
const journal = { snapshotSchedule: null }

const snapshotsOf = (disk: CrashDisk) => namesOf(disk, /\/snapshot-/)
const deltasOf = (disk: CrashDisk) => namesOf(disk, /\/delta-/)

function namesOf(disk: CrashDisk, pattern: RegExp): string[] {
  return [...disk.files().keys()].filter((path) => pattern.test(path)).sort()
}

async function opened(options = {}): Promise<Life> {
  const life = new Life({ disk: new CrashDisk(), journal: { ...journal, ...options } })
  await life.open()
  return life
}

async function moved(life: Life, states: readonly DocumentState[]): Promise<void> {
  for (const state of states) await life.do(moveDocument('a', state, { validate: false }))
}

const MEBIBYTE = 1024 * 1024

/** So many mebibytes, without any time passing. */
async function large(life: Life, mebibytes: number): Promise<void> {
  const metadata = { text: 'x'.repeat(MEBIBYTE) }
  for (let n = 0; n < mebibytes; n++) {
    await life.do(moveDocument(`large-${n}`, 'fetching', { metadata, validate: false }))
  }
}

/** What a timer set off takes some turns of the event loop, and no time. */
async function snapshotsBecome(disk: CrashDisk, count: number): Promise<void> {
  for (let turn = 0; turn < 1000 && snapshotsOf(disk).length < count; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(snapshotsOf(disk)).toHaveLength(count)
}

describe('A36: a snapshot', () => {
  it('is gzip, and zcat shows the JSON that the format page describes', async () => {
    using place = scratch('zcat')
    const folder = `${place.folder}/ledger`
    const store = await openJournal(folder, realWorld, journal)
    const command = moveDocument('doc:1', 'fetching', { tenant_id: 'default', adapter: 'pubmed' })
    await store.transact([keyOf(command)], (given) => decide(command, given))
    await store.maintain()
    await store.close()
    const path = [...filesIn(folder).keys()].find((name) => name.includes('/snapshot-')) as string
    const { stdout, status } = spawnSync('zcat', [path], { encoding: 'utf8' })
    expect(status).toBe(0)
    const whole = JSON.parse(stdout)
    expect(Object.keys(whole).slice(0, 5)).toEqual([
      'version',
      'created_at',
      'seq',
      'document_count',
      'states',
    ])
    expect(whole).toMatchObject({
      version: '1.0',
      seq: 1,
      document_count: 1,
      states: { 'doc:1': { state: 'fetching', adapter: 'pubmed', metadata: {}, etag: '1' } },
      trailer: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    expect(new Date(whole.created_at).toISOString()).toBe(whole.created_at)
  })

  it('leaves an empty delta and the history behind', async () => {
    const life = await opened()
    await moved(life, ['fetching', 'fetched'])
    expect(await life.store.maintain()).toMatchObject({ compacted: true })
    const [delta, ...more] = deltasOf(life.disk)
    expect(more).toEqual([])
    const bytes = life.disk.files().get(delta as string) as Uint8Array
    expect(Buffer.from(bytes).toString().trim().split('\n')).toHaveLength(1)
    const [segment] = namesOf(life.disk, /\/audit\//)
    const text = gunzipSync(life.disk.files().get(segment as string) as Uint8Array).toString()
    expect(text.split('\n').filter((line) => line.startsWith('{"seq":'))).toHaveLength(2)
    // Nothing was written since, so there is nothing to do.
    expect(await life.store.maintain()).toMatchObject({ compacted: false })
  })

  it('with the delta is the newest state, and so is the whole history without any snapshot', async () => {
    const life = new Life({ disk: new CrashDisk(), journal: jobs.journal })
    await jobs.play(life)
    await life.open()
    await moved(life, ['fetching', 'failed'])
    const expected = new ExpectedLedger(life.witness.acknowledged())
    await compareStore(life.store, expected)
    await life.close()
    const replayed = new Life({ disk: life.disk.afterKill(), journal, nth: 2 })
    for (const path of snapshotsOf(replayed.disk)) await replayed.disk.remove(path)
    await replayed.open()
    expect((await replayed.store.stats()).storage?.snapshot).toBeNull()
    await compareStore(replayed.store, expected)
    expect(await replayed.store.check()).toEqual([])
  })
})

describe('A37: snapshots', () => {
  it('go by number: of eight, seven are kept, and the oldest is gone', async () => {
    const life = await opened()
    const made: string[] = []
    for (let n = 1; n <= 8; n++) {
      await moved(life, ['fetching'])
      await life.pass(1000)
      await life.maintain()
      made.push(...snapshotsOf(life.disk).filter((path) => !made.includes(path)))
    }
    expect(made).toHaveLength(8)
    expect(snapshotsOf(life.disk)).toEqual(made.slice(1))
  })

  it('do not collide when two are made within one second, or within one millisecond', async () => {
    const life = await opened()
    for (let n = 1; n <= 3; n++) {
      await moved(life, ['fetching'])
      await life.maintain()
    }
    await life.pass(1)
    await moved(life, ['fetched'])
    await life.maintain()
    expect(snapshotsOf(life.disk)).toHaveLength(4)
    const { storage } = await life.store.stats()
    expect(storage?.snapshot?.seq).toBe(4)
  })

  it.each([
    ['as a cron expression says', { snapshotSchedule: '0 0 * * *' }],
    ['at midnight when nobody says', { snapshotSchedule: undefined }],
  ])('are made by themselves when the interval is over, and when one was missed: %s', async (_, daily) => {
    const life = await opened(daily)
    await moved(life, ['fetching'])
    await life.pass(DAY_MS)
    await snapshotsBecome(life.disk, 1)
    await moved(life, ['fetched'])
    await life.close()
    const startMs = life.world.clock.now() + 2 * DAY_MS
    const late = new Life({ disk: life.disk.afterKill(), journal: daily, nth: 2, startMs })
    await late.open()
    await snapshotsBecome(late.disk, 2)
  })

  it('are made by themselves when enough was written', async () => {
    const life = await opened({ snapshotAfterBytes: 2000 })
    await moved(life, ['fetching', 'fetched', 'parsing', 'parsed', 'failed', 'retrying', 'fetching'])
    await snapshotsBecome(life.disk, 1)
    expect(await life.store.check()).toEqual([])
  })

  // Ingesting a hundred thousand jobs took a third longer than it had to: a snapshot was begun in the middle of it.
  it('wait while much is being written, but not for ever', async () => {
    const life = await opened({ snapshotAfterBytes: 5 * MEBIBYTE })
    await large(life, 6)
    await life.pass(1000)
    await large(life, 5)
    await life.pass(1000)
    expect(snapshotsOf(life.disk)).toEqual([])
    await life.pass(2000)
    await snapshotsBecome(life.disk, 1)

    const busy = await opened({ snapshotAfterBytes: 5 * MEBIBYTE })
    await large(busy, 19)
    expect(snapshotsOf(busy.disk)).toEqual([])
    await large(busy, 2)
    await snapshotsBecome(busy.disk, 1)
  })

  it('are made at closing when a 64th of enough was written, and not for less', async () => {
    const life = await opened({ snapshotAfterBytes: 64 * 1500 })
    await moved(life, ['fetching'])
    await life.close()
    expect(snapshotsOf(life.disk)).toEqual([])
    const next = new Life({ disk: life.disk.afterKill(), journal: { snapshotAfterBytes: 64 * 1500 }, nth: 2 })
    await next.open()
    await moved(next, [
      'fetched',
      'parsing',
      'parsed',
      'failed',
      'retrying',
      'fetching',
      'fetched',
      'parsing',
    ])
    await next.close()
    expect(snapshotsOf(next.disk)).toHaveLength(1)
  })

  it('keep the history that the oldest of them needs, however short history is kept', async () => {
    const life = await opened({ keepSnapshots: 2, keepHistoryMs: 0 })
    for (let n = 1; n <= 4; n++) {
      await moved(life, ['fetching'])
      await life.pass(1000)
      await life.maintain()
    }
    expect(namesOf(life.disk, /\/audit\//)).toEqual([
      `${FOLDER}/audit/000000000000004-000000000000004.jsonl.gz`,
    ])
    // The newest is bad, and the one before it has all that came after.
    const [older, newest] = snapshotsOf(life.disk)
    await life.close()
    await life.disk.remove(newest as string)
    const again = new Life({ disk: life.disk.afterKill(), journal, nth: 2 })
    await again.open()
    expect((await again.store.stats()).storage?.snapshot?.seq).toBe(3)
    expect(older).toContain('-000000000000003')
    const { items } = await again.store.find({ kind: 'document' })
    expect(items).toMatchObject([{ doc_id: 'a', etag: '4' }])
  })

  it('A72: history goes by age, but never that of a job that is open; what went is said', async () => {
    const life = await opened({ keepSnapshots: 1, keepHistoryMs: DAY_MS })
    const submits = async (job_id: string) => {
      await life.do(submitJob(job_id))
      await life.pass(1000)
      await life.maintain()
    }
    const told = async (job_id: string) => (await life.store.audit({ job_id })).items.length
    await submits('old')
    await life.do(onJob('cancelJob', 'old'))
    await submits('open')
    await submits('later')
    await life.do(onJob('cancelJob', 'later'))
    await life.pass(2 * DAY_MS)
    await life.do(submitJob('new'))
    await life.maintain()
    expect([await told('old'), await told('open'), await told('later')]).toEqual([3, 1, 4])
    expect((await life.store.stats()).removed_audit_records).toBe(1)
    for (const id of ['open', 'new']) await life.do(onJob('cancelJob', id))
    await life.maintain()
    await life.pass(2 * DAY_MS)
    await moved(life, ['fetching'])
    await life.maintain()
    await moved(life, ['fetched'])
    await life.maintain()
    expect([await told('old'), await told('open'), await told('later')]).toEqual([0, 0, 0])
    expect((await life.store.stats()).removed_audit_records).toBeGreaterThan(5)
    expect(await life.store.get({ kind: 'job', tenant_id: TENANT, id: 'open' })).toMatchObject({
      state: 'CANCELLED',
    })
  })
})
