import type { StepRecord } from '../../../src/core/job/record.ts'
import { SECOND_MS } from '../../../src/core/time.ts'
import {
  ack,
  failure,
  heartbeat,
  moveDocument,
  onJob,
  recordPublishFailure,
  recordSent,
  report,
  SUCCESS,
  submitJob,
} from '../../../src/testing/conformance/commands.ts'
import { LIMITED, LIMITED_PUSH, MIXED, PUSHED } from '../../../src/testing/conformance/protocols.ts'
import type { Life } from '../life.ts'
import type { ScriptedHistory } from './scripted-history.ts'

/**
 * Jobs: pulled and pushed ones, limits, dependencies and their signals, idempotency keys, timers, failures and retries, a
 * batch over documents and jobs; snapshots at three points, one of them with everything under way.
 */
export const jobs: ScriptedHistory = {
  name: 'jobs',
  journal: { snapshotSchedule: null, keepSnapshots: 2 },
  async play(life) {
    await life.open()
    await pulled(life)
    const running = await limits(life)
    await life.maintain()
    await dependants(life, running)
    await pushed(life)
    await Promise.all([life.maintain(), across(life)])
    await life.pass(31 * SECOND_MS)
    await life.sweep('due')
    await life.sweep('signalled')
    await life.reopen()
    await life.do(onJob('cancelJob', 'pushed'))
    await again(life)
    await life.maintain()
    await life.close()
  },
}

async function pulled(life: Life): Promise<void> {
  const key = { idempotency_key: 'key-1', payload: { n: 1 } }
  await life.together([
    submitJob('one', key),
    submitJob('one-again', { ...key, input_ref: 'in/one', output_ref: 'out/one' }),
    submitJob('two', { priority: 0, delay_ms: 1500 }),
  ])
  const { step } = await life.do(onJob('claimStep', 'one'))
  await life.do(heartbeat(step))
  await life.do(report(step, failure('RETRYABLE')))
  await life.act(report(step, SUCCESS))
}

async function limits(life: Life): Promise<StepRecord> {
  await life.together([
    submitJob('limited-1', { protocol: LIMITED }),
    submitJob('limited-2', { protocol: LIMITED }),
    submitJob('too-many', { inFlightLimit: 2 }),
  ])
  const { step } = await life.do(onJob('claimStep', 'limited-1'))
  await life.refusal(onJob('claimStep', 'limited-2'))
  return step
}

async function dependants(life: Life, running: StepRecord): Promise<void> {
  await life.together([
    submitJob('after', { depends_on: ['limited-1', 'one'], on_dependency_failure: 'release' }),
    submitJob('with', { depends_on: ['limited-1'] }),
  ])
  await life.do(report(running, SUCCESS))
  const { step } = await life.do(onJob('claimStep', 'limited-2'))
  await life.do(report(step, failure('NON_RETRYABLE')))
}

async function pushed(life: Life): Promise<void> {
  await life.do(submitJob('pushed', { protocol: PUSHED, doc_id: 'doc:1' }))
  const row = await life.do(onJob('takeOutbox', 'pushed'))
  await life.do(recordPublishFailure('pushed', row.outbox_id))
  await life.do(submitJob('sent', { protocol: LIMITED_PUSH }))
  const other = await life.do(onJob('takeOutbox', 'sent'))
  await life.do(recordSent('sent', other.outbox_id))
}

/** One commit that is about several aggregates, while a snapshot is made. */
async function across(life: Life): Promise<void> {
  await life.batch([
    moveDocument('doc:1', 'fetching'),
    submitJob('batched', { protocol: MIXED, depends_on: ['pushed'] }),
    moveDocument('doc:2', 'skipped', { tenant_id: 'default' }),
    onJob('cancelJob', 'two'),
  ])
  const aggregate = await life.store.load({ kind: 'job', tenant_id: 'acme', id: 'sent' })
  const step = aggregate?.steps[0]
  if (step !== undefined) await life.together([ack(step), report(step, SUCCESS), ack(step)])
}

/** What rests is only in the snapshot: the same request, and callbacks that come late. */
async function again(life: Life): Promise<void> {
  await life.act(submitJob('one-more', { idempotency_key: 'key-1', payload: { n: 2 } }))
  await life.act(onJob('cancelJob', 'sent'))
  await life.do(submitJob('last', { protocol: LIMITED }))
}
