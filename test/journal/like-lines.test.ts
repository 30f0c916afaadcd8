import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type Command, decide, keyOf } from '../../src/core/command.ts'
import type { StepRecord } from '../../src/core/job/record.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import type { JournalStore } from '../../src/store/journal/journal-store.ts'
import { freshJob, onJob, report, SUCCESS, TENANT } from '../../src/testing/conformance/commands.ts'
import { auditAll, findAll, plain } from '../../src/testing/conformance/reading.ts'
import { realWorld } from '../../src/world/world.ts'
import { readLedger } from '../crash/naive-reader.ts'
import { filesIn } from '../crash/processes/acknowledged.ts'
import { scratch } from '../e2e/scratch.ts'

const JOBS = 60
const IDS = Array.from({ length: JOBS }, (_, nth) => `job-${nth}`)
const PAGE = 1000

async function act(store: JournalStore, command: Command): Promise<void> {
  const outcome = await store.transact([keyOf(command)], (given) => decide(command, given))
  if (!outcome.ok) throw new Error(outcome.refusal.message)
}

async function stepOf(store: JournalStore, id: string): Promise<StepRecord> {
  const job = await store.load({ kind: 'job', tenant_id: TENANT, id })
  return job?.steps[0] as StepRecord
}

/** Jobs that are alike come, are taken and are done, many at once, so that batches are full of them. */
async function fill(store: JournalStore): Promise<void> {
  await Promise.all(IDS.map((id) => act(store, freshJob(id, { inFlightLimit: JOBS }))))
  await Promise.all(IDS.map((id) => act(store, onJob('claimStep', id, { actor: `worker-${id.length}` }))))
  const steps = await Promise.all(IDS.map((id) => stepOf(store, id)))
  await Promise.all(steps.slice(JOBS / 2).map((step) => act(store, report(step, SUCCESS))))
}

const QUERIES = [
  {},
  { job_id: 'job-58' },
  { id: 'job-58/read' },
  { actor: 'worker-6' },
  { state: 'SUCCEEDED' },
  { job_id: 'job-40', state: 'QUEUED' },
  { kind: 'step' as const, adapter: 'read' },
]

function recordsOf(store: JournalStore): Promise<readonly unknown[]> {
  return Promise.all(['job', 'step'].map((kind) => findAll(store, { kind: kind as 'job', limit: PAGE })))
}

function historiesOf(store: JournalStore): Promise<readonly unknown[]> {
  return Promise.all(QUERIES.map((query) => auditAll(store, { ...query, limit: PAGE })))
}

it('lines that say what is different from others tell all that happened, in the delta and when it is sealed', async () => {
  using place = scratch('like-lines')
  const folder = `${place.folder}/ledger`
  const store = await openJournal(folder, realWorld, { snapshotSchedule: null })
  await fill(store)
  const [delta] = readdirSync(folder).filter((name) => name.startsWith('delta-'))
  const lines = readFileSync(`${folder}/${delta}`, 'utf8').trimEnd().split('\n')
  expect(lines.filter((line) => line.includes('"like":')).length).toBeGreaterThan(JOBS)

  const [records, histories] = [await recordsOf(store), await historiesOf(store)]
  const [everything] = histories as readonly (readonly unknown[])[]
  // Queued once; step and job through several states when taken; both once more when done.
  expect(everything).toHaveLength(JOBS + 5 * JOBS + JOBS)
  const files = readLedger(filesIn(folder), folder)
  expect(files.history).toEqual(plain(everything))
  await store.close()

  const again = await openJournal(folder, realWorld, { snapshotSchedule: null })
  expect(await recordsOf(again)).toEqual(records)
  expect(await historiesOf(again)).toEqual(histories)
  await again.maintain()
  expect(await recordsOf(again)).toEqual(records)
  expect(await historiesOf(again)).toEqual(histories)
  expect(await again.check()).toEqual([])
  await again.close()
  expect(readLedger(filesIn(folder), folder).history).toEqual(plain(everything))
})
