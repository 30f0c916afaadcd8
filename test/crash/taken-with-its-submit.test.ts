// Whoever takes work need not wait until a job is durable before taking it: both are written at once, and both are lost when
// that write fails.
import { expect, it } from 'vitest'
import { decide } from '../../src/core/command.ts'
import type { ClaimAnswer } from '../../src/core/job/commands.ts'
import type { Store, Swept } from '../../src/store/store.ts'
import { onJob, submitJob, TENANT } from '../../src/testing/conformance/commands.ts'
import { PULLED } from '../../src/testing/conformance/protocols.ts'
import type { DiskOperation } from '../../src/testing/crash/operation.ts'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { Life } from './life.ts'

const QUEUE = PULLED.steps[0]?.service as string

function claim(store: Store): Promise<readonly Swept<ClaimAnswer>[]> {
  return store.sweep(
    { what: 'ready', queues: [QUEUE], perGroup: 10, pick: (heads) => heads },
    ({ id }, given) => decide(onJob('claimStep', id), given),
  )
}

/** A ledger beside which somebody claims as soon as there is something to claim. */
async function setUp(faults: (operation: DiskOperation) => 'ENOSPC' | null = () => null) {
  const disk = new CrashDisk({ faults })
  const life = new Life({ disk, journal: { snapshotSchedule: null } })
  await life.open()
  const claims: Promise<readonly Swept<ClaimAnswer>[]>[] = []
  const stop = life.store.subscribe(() => claims.push(claim(life.store)), { takesWork: true })
  const writes = () => disk.operations.filter(({ op }) => op === 'writeThrough').length
  return { life, claims, stop, writes }
}

it('a job is handed out when it has been written once', async () => {
  const { life, claims, stop, writes } = await setUp()
  const before = writes()
  await life.act(submitJob('j'))
  const [taken] = await (claims[0] as (typeof claims)[0])
  expect(taken?.outcome).toMatchObject({ ok: true, answer: { step: { state: 'IN_PROGRESS' } } })
  expect(writes() - before).toBe(1)
  // Nobody else gets it when it is durable.
  for (const others of claims.slice(1)) expect(await others).toEqual([])
  stop()
  await life.act(submitJob('k'))
  expect(await claim(life.store)).toHaveLength(1)
})

it('neither is there when the write failed', async () => {
  let isFull = false
  const { life, claims, writes } = await setUp(({ op }) =>
    isFull && op === 'writeThrough' ? 'ENOSPC' : null,
  )
  isFull = true
  await expect(life.act(submitJob('j'))).rejects.toMatchObject({ code: 'DISK_FULL' })
  await expect(claims[0]).rejects.toMatchObject({ code: 'DISK_FULL' })
  isFull = false
  expect(await life.store.load({ kind: 'job', tenant_id: TENANT, id: 'j' })).toBeNull()
  expect(await claim(life.store)).toEqual([])
  const before = writes()
  await life.act(submitJob('j'))
  expect(writes() - before).toBe(1)
  expect(await life.store.load({ kind: 'job', tenant_id: TENANT, id: 'j' })).toMatchObject({
    job: { state: 'IN_PROGRESS' },
  })
})
