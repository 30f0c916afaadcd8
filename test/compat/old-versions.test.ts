import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import { change } from '../../src/core/decision.ts'
import type { RecordKind } from '../../src/core/machines/all.ts'
import { DELTA_VERSION } from '../../src/store/journal/delta/read-delta.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import type { JournalStore } from '../../src/store/journal/journal-store.ts'
import { moveDocument } from '../../src/testing/conformance/commands.ts'
import { auditAll, findAll, plain } from '../../src/testing/conformance/reading.ts'
import { realWorld } from '../../src/world/world.ts'
import { KINDS } from '../crash/compare-ledger.ts'
import { type JsonObject, readLedger } from '../crash/naive-reader.ts'
import { filesIn } from '../crash/processes/acknowledged.ts'
import { scratch } from '../e2e/scratch.ts'
import { type FixtureContent, QUEUES } from './fixture-content.ts'

const PAGE = 1000
const VERSIONS = readdirSync(import.meta.dirname).filter((name) => /^v\d+\.\d+$/.test(name))

it('is there for the version that is written now', () => {
  expect(VERSIONS).toContain(`v${DELTA_VERSION}`)
})

describe.each(VERSIONS)('a ledger of version %s', (version) => {
  const kept = join(import.meta.dirname, version)
  const content = JSON.parse(readFileSync(join(kept, 'content.json'), 'utf8')) as FixtureContent

  it('has something of everything in it', () => {
    const names = readdirSync(join(kept, 'ledger'), { recursive: true }).map(String)
    expect(names.filter((name) => name.startsWith('snapshot-'))).toHaveLength(1)
    expect(names.filter((name) => name.startsWith('audit/'))).toHaveLength(2)
    expect(names.filter((name) => name.startsWith('delta-'))).toHaveLength(1)
    const kinds = new Set(content.records.map(({ kind }) => kind))
    expect([...kinds].sort()).toEqual(['document', 'job', 'outbox', 'step'])
    for (const some of [content.claims, content.slots, content.refusals]) expect(some).not.toEqual({})
  })

  it('is opened with everything that was in it', async () => {
    using place = scratch('compat')
    const folder = copyOf(kept, place.folder)
    const store = await openJournal(folder, realWorld, { snapshotSchedule: null })
    await mustHold(store, content)
    await store.close()
  })

  it('is written to, has snapshots made of it, and is opened again', async () => {
    using place = scratch('compat')
    const folder = copyOf(kept, place.folder)
    const first = await openJournal(folder, realWorld, { snapshotSchedule: null })
    await move(first, 'settled')
    await first.maintain()
    await move(first, 'new')
    await first.close()
    const second = await openJournal(folder, realWorld, { snapshotSchedule: null })
    expect(await second.check()).toEqual([])
    const history = await auditAll(second, { limit: PAGE })
    expect(plain(history.slice(0, content.history.length))).toEqual(content.history)
    expect(history.slice(content.history.length).map(({ id }) => id)).toEqual(['settled', 'new'])
    const moved = content.records.filter(({ doc_id }) => doc_id !== 'settled')
    const records = await recordsOf(second)
    for (const record of moved) expect(records).toContainEqual(asReadNow(record))
    await second.close()
    const files = readLedger(filesIn(folder), folder)
    expect(files.history).toHaveLength(content.history.length + 2)
  })
})

/** What nobody had thought of when a record of version 1.0 was written is as if it had never been used. */
function asReadNow(record: JsonObject): JsonObject {
  const { kind } = record
  if (kind === 'job') {
    const pipeline = { pipeline_name: null, doc_key: null, metadata: {}, job_attempts: 0, report_by: null }
    return { again_of: null, schedule_id: null, unlimited: false, ...pipeline, escalation: null, ...record }
  }
  if (kind === 'step') {
    return { released: 0, queue_slot: false, output_file: null, gate: null, document: null, ...record }
  }
  return record
}

function copyOf(kept: string, place: string): string {
  const folder = join(place, 'ledger')
  cpSync(join(kept, 'ledger'), folder, { recursive: true })
  return folder
}

async function move(store: JournalStore, doc_id: string): Promise<void> {
  const command = moveDocument(doc_id, 'fetching', { validate: false })
  await store.transact([keyOf(command)], (given) => decide(command, given))
}

async function recordsOf(store: JournalStore): Promise<readonly object[]> {
  const all: object[] = []
  for (const kind of KINDS) all.push(...(await findAll(store, { kind, limit: PAGE })))
  return plain(all)
}

async function mustHold(store: JournalStore, content: FixtureContent): Promise<void> {
  const records = await recordsOf(store)
  expect(records).toHaveLength(content.records.length)
  for (const record of content.records) expect(records).toContainEqual(asReadNow(record))
  expect(plain(await auditAll(store, { limit: PAGE }))).toEqual(content.history)
  for (const [kind, counts] of Object.entries(content.counts)) {
    const counted = Object.entries(await store.counts(kind as RecordKind)).filter(([, n]) => n !== 0)
    expect(Object.fromEntries(counted)).toEqual(counts)
  }
  // What was signalled comes first. Those who are told do nothing here, so that all stays as it is.
  expect(await store.nextDue()).toBe(0)
  await store.sweep({ what: 'signalled', limit: PAGE }, () => change(null, {}))
  expect(await store.nextDue()).toBe(content.next_due)
  const ready = await store.ready(QUEUES, PAGE, (heads) => heads)
  expect(ready).toHaveLength(content.ready.length)
  for (const head of content.ready) expect(plain(ready)).toContainEqual(head)
  await mustOwn(store, content)
  expect(await store.check()).toEqual([])
}

async function mustOwn(store: JournalStore, { claims, slots }: FixtureContent): Promise<void> {
  const owners: { [name: string]: string | undefined } = {}
  await store.transact([], (given) => {
    for (const name of Object.keys(claims)) {
      const [tenant_id, key] = JSON.parse(name) as [string, string]
      // A store that has to look it up asks again when it knows.
      owners[name] = given.ownerOf({ tenant_id, key })
    }
    return change(null, {})
  })
  expect(owners).toEqual(claims)
  await store.ready([], 1, (_, { used }) => {
    for (const [name, owners] of Object.entries(slots)) {
      expect(used(...(JSON.parse(name) as [string, string]))).toBe(owners.length)
    }
  })
}
