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

describe('records that nobody needs', () => {
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
    expect(inMemory(store)).toEqual({ documents: 0, jobs: 0, claims: 0 })
    expect(store.journal.image.base?.blocksRead).toBe(0)
    expect(await again.counts('document')).toMatchObject({ skipped: 300, fetching: 1 })
    expect(await again.documents.getState('rest:7')).toBe('skipped')
    expect(store.journal.image.base?.blocksRead).toBe(1)
    expect(await again.documents.getState('open')).toBe('fetching')
    expect((await submit(again, 'key:7')).duplicate).toBe(true)
    expect((await submit(again, 'new')).duplicate).toBe(false)
    await again.close()
  })

  it('leave memory while they are open, when two snapshots had them and nobody touched them', async () => {
    const { ledger, store } = await open()
    await fill(ledger)
    await ledger.compact()
    await ledger.documents.updateState('touched', 'fetching')
    await ledger.compact()
    expect(inMemory(store)).toEqual({ documents: 1, jobs: 0, claims: 0 })
    const [work] = await ledger.jobs.claim({ queues: ['svc'], worker: 'w' })
    expect(inMemory(store).jobs).toBe(1)
    expect(await ledger.jobs.claim({ queues: ['svc'], worker: 'w' })).toEqual([])
    await ledger.compact()
    await ledger.documents.updateState('touched', 'fetched')
    await ledger.compact()
    expect(inMemory(store).jobs).toBe(0)
    await ledger.jobs.result(work?.step as never, { status: 'SUCCEEDED' })
    expect(await ledger.counts('job')).toMatchObject({ SUCCEEDED: 300 })
    await ledger.close()
  })

  it('are worked on after opening, each once, though all ask at the same time', async () => {
    const { ledger, world } = await open()
    for (let i = 0; i < 50; i++) await submit(ledger, `key:${i}`)
    await ledger.compact()
    await ledger.close()
    const { ledger: again, store } = await open(world)
    expect(inMemory(store).jobs).toBe(0)
    const claims = await Promise.all(
      Array.from({ length: 25 }, () => again.jobs.claim({ queues: ['svc'], limit: 2, worker: 'w' })),
    )
    expect(claims.map((works) => works.length)).toEqual(Array.from({ length: 25 }, () => 2))
    expect(new Set(claims.flat().map(({ step }) => step.job_id)).size).toBe(50)
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
