// What is in memory and what is not. Whether it is right either way is the conformance suite's matter.
import { describe, expect, it } from 'vitest'
import { Ledger } from '../../ledger/ledger.ts'
import { DEFAULT_SETTINGS } from '../../ledger/settings.ts'
import { virtualWorld } from '../../testing/virtual-world.ts'
import { openJournal } from './journal.ts'
import type { JournalStore } from './journal-store.ts'

async function open(world = virtualWorld()) {
  const store = await openJournal('/ledger', world, { snapshotSchedule: null })
  const ledger = new Ledger(store, { ...DEFAULT_SETTINGS, inFlightLimit: 1000 }, world)
  ledger.jobs.register({
    protocol_id: 'p.v1',
    request_type: 'P',
    steps: [{ step_id: 's', step_type: 'S', service: 'svc', delivery: 'pull' }],
  })
  return { world, store, ledger }
}

function submit(ledger: Ledger, key: string) {
  return ledger.jobs.submit({
    tenant_id: 'default',
    request_type: 'P',
    input_ref: 'in',
    output_ref: 'out',
    payload: {},
    schema_version: 'v1',
    idempotency_key: key,
  })
}

function inMemory({ journal }: JournalStore) {
  const { live } = journal.image
  return {
    documents: [...live.records('document')].length,
    jobs: [...live.jobs()].length,
    claims: [...live.devices.claims.entries()].length,
  }
}

async function fill(ledger: Ledger): Promise<void> {
  for (let i = 0; i < 300; i++) {
    await ledger.documents.updateState(`rest:${i}`, 'skipped')
    await submit(ledger, `key:${i}`)
  }
  await ledger.documents.updateState('open', 'fetching')
  const works = await ledger.jobs.claim({ queues: ['svc'], limit: 299, worker: 'w' })
  for (const { step } of works) await ledger.jobs.result(step, { status: 'SUCCEEDED' })
}

describe('records at rest, and documents after opening', () => {
  it('are in memory until a snapshot has them', async () => {
    const { ledger, store } = await open()
    await fill(ledger)
    expect(inMemory(store)).toEqual({ documents: 301, jobs: 300, claims: 300 })
    await ledger.compact()
    expect(inMemory(store)).toEqual({ documents: 1, jobs: 1, claims: 0 })
    await ledger.close()
  })

  it('are not read when the ledger is opened', async () => {
    const { ledger, world } = await open()
    await fill(ledger)
    await ledger.compact()
    await ledger.close()
    const { ledger: again, store } = await open(world)
    expect(inMemory(store)).toEqual({ documents: 0, jobs: 1, claims: 0 })
    expect(store.journal.image.base?.blocksRead).toBe(0)
    expect(await again.counts('document')).toMatchObject({ skipped: 300, fetching: 1 })
    expect(await again.documents.getState('rest:7')).toBe('skipped')
    expect(store.journal.image.base?.blocksRead).toBe(1)
    expect(await again.documents.getState('open')).toBe('fetching')
    expect((await submit(again, 'key:7')).duplicate).toBe(true)
    expect((await submit(again, 'new')).duplicate).toBe(false)
    await again.close()
  })

  it('come back into memory when they change, and leave it again', async () => {
    const { ledger, store } = await open()
    await ledger.documents.updateState('d', 'fetching')
    await ledger.documents.updateState('d', 'failed')
    await ledger.compact()
    expect(inMemory(store).documents).toBe(0)
    const { etag } = (await ledger.documents.get('d')) ?? { etag: '' }
    await ledger.documents.updateState('d', 'retrying', { if_match: etag })
    expect(inMemory(store).documents).toBe(1)
    expect(await ledger.counts('document')).toMatchObject({ failed: 0, retrying: 1 })
    await ledger.documents.updateState('d', 'failed')
    await ledger.compact()
    expect(inMemory(store).documents).toBe(0)
    expect(await ledger.documents.get('d')).toMatchObject({ state: 'failed', retry_count: 1 })
    await ledger.close()
  })
})
