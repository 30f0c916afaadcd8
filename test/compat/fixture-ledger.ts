import type { StepRecord } from '../../src/core/job/record.ts'
import {
  ack,
  failure,
  freshJob,
  moveDocument,
  onJob,
  recordPublishFailure,
  recordSent,
  report,
  SUCCESS,
  submitJob,
  TENANT,
} from '../../src/testing/conformance/commands.ts'
import { LIMITED, MIXED, PUSHED } from '../../src/testing/conformance/protocols.ts'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { ExpectedLedger } from '../crash/expected-ledger.ts'
import { Life } from '../crash/life.ts'

/** A ledger with something of everything in each of its files: a snapshot, two sealed segments, a delta. */
export async function fixtureLedger(): Promise<{
  readonly disk: CrashDisk
  readonly expected: ExpectedLedger
}> {
  const life = new Life({ disk: new CrashDisk(), journal: { snapshotSchedule: null, keepSnapshots: 1 } })
  await life.open()
  await first(life)
  await life.maintain()
  await life.pass(61_000)
  await second(life)
  await life.maintain()
  await life.pass(5000)
  await third(life)
  const expected = new ExpectedLedger(life.witness.acknowledged())
  return { disk: life.disk.afterKill(), expected }
}

async function first(life: Life): Promise<void> {
  await life.together([
    moveDocument('doc:1', 'fetching', { tenant_id: 'default', adapter: 'pubmed', metadata: { n: 1 } }),
    moveDocument('doc:1', 'fetching', { metadata: { 漢: ['ü', null, 1.5], deep: { er: {} } } }),
    moveDocument('settled', 'skipped', { reason: 'not wanted' }),
    moveDocument('settled', 'fetching'),
  ])
  await life.together([
    submitJob('pulled', { idempotency_key: 'key-1', priority: 1, tags: ['a', 'b'] }),
    submitJob('limited', { protocol: LIMITED }),
    submitJob('after', { depends_on: ['pulled'], doc_id: 'doc:1' }),
  ])
  await life.do(onJob('claimStep', 'limited'))
  const { step } = await life.do(onJob('claimStep', 'pulled'))
  await life.do(report(step, failure('RETRYABLE')))
}

async function second(life: Life): Promise<void> {
  const error = { error_type: 'ParseError', error_message: 'line 3', traceback: 'at parse\nat run' }
  await life.do(moveDocument('doc:1', 'failed', { error, tenant_id: 'default' }))
  await life.do(moveDocument('doc:1', 'retrying', { tenant_id: 'default', max_retries: 5 }))
  await life.sweep('due')
  const { step } = await life.do(onJob('claimStep', 'pulled'))
  await life.do(report(step, SUCCESS))
  await life.do(submitJob('pushed', { protocol: PUSHED, tenant_id: 'Zeta' }))
  const row = await life.do(onJob('takeOutbox', 'pushed', { tenant_id: 'Zeta' }))
  await life.do(recordSent('pushed', row.outbox_id, 'Zeta'))
  await life.together([
    submitJob('ready', { protocol: LIMITED }),
    submitJob('undelivered', { protocol: PUSHED }),
  ])
}

async function third(life: Life): Promise<void> {
  const pushed = await life.store.load({ kind: 'job', tenant_id: 'Zeta', id: 'pushed' })
  const [step] = pushed?.steps ?? []
  if (step !== undefined) await life.do(ack(step))
  await life.batch([
    moveDocument('doc:2', 'fetching', { tenant_id: 'default' }),
    submitJob('mixed', { protocol: MIXED, depends_on: ['limited'], on_dependency_failure: 'skip' }),
    moveDocument('settled', 'legacy', { validate: false }),
  ])
  await life.act(submitJob('again', { idempotency_key: 'key-1', priority: 1 }))
  await life.refusal(moveDocument('doc:2', 'completed', { tenant_id: 'default' }))
  await life.do(submitJob('sent', { protocol: MIXED }))
  const row = await life.do(onJob('takeOutbox', 'sent'))
  await life.do(recordPublishFailure('sent', row.outbox_id))
  await life.do(onJob('cancelJob', 'limited'))
  await life.do(onJob('takeOutbox', 'undelivered'))
  await alike(life)
}

/** Enough jobs that are alike that lines say what is different from one before them. */
async function alike(life: Life): Promise<void> {
  const ids = Array.from({ length: 24 }, (_, nth) => `alike-${nth}`)
  await life.together(ids.map((id) => freshJob(id)))
  await life.together(ids.map((id) => onJob('claimStep', id)))
  const jobs = await Promise.all(ids.map((id) => life.store.load({ kind: 'job', tenant_id: TENANT, id })))
  await life.together(jobs.slice(2).flatMap((job) => report(job?.steps[0] as StepRecord, SUCCESS)))
}
