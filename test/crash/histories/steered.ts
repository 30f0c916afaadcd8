import { present } from '../../../src/core/must.ts'
import { MINUTE_MS, SECOND_MS } from '../../../src/core/time.ts'
import {
  expedite,
  fireSchedule,
  giveBack,
  mintToken,
  moveSchedule,
  onJob,
  putSchedule,
  report,
  revokeToken,
  runAgain,
  SUCCESS,
  steerQueue,
  submitJob,
} from '../../../src/testing/conformance/commands.ts'
import { RATED } from '../../../src/testing/conformance/protocols.ts'
import type { Life } from '../life.ts'
import type { ScriptedHistory } from './scripted-history.ts'

/**
 * What operators and calendars do: queues that are limited, paused and resumed, starts that count for a while, attempts
 * that are given back, a schedule that fires, a job that is run again from its second step,
 * tokens; snapshots in between, one of
 * them when what was held for a while is held no more.
 */
export const steered: ScriptedHistory = {
  name: 'steered',
  journal: { snapshotSchedule: null, keepSnapshots: 2 },
  async play(life) {
    await life.open()
    await life.do(steerQueue('read', { concurrency: 2, rate: { max: 3, per_ms: 10 * SECOND_MS } }))
    await rated(life)
    await life.maintain()
    await scheduled(life)
    await life.pass(MINUTE_MS)
    await again(life)
    await life.maintain()
    await life.reopen()
    await life.do(steerQueue('read', { state: 'running', concurrency: null }))
    await life.take('claimStep', ['read'], 5)
    await life.close()
  },
}

async function rated(life: Life): Promise<void> {
  await life.together(['one', 'two', 'three'].map((id) => submitJob(id, { protocol: RATED })))
  const { step } = await life.do(onJob('claimStep', 'one'))
  await life.do(onJob('claimStep', 'two'))
  await life.refusal(onJob('claimStep', 'three'))
  await life.do(giveBack(step))
  await life.do(expedite('three', ['limits']))
  const let_past = await life.do(onJob('claimStep', 'three'))
  await life.do(report(let_past.step, SUCCESS))
}

async function scheduled(life: Life): Promise<void> {
  await life.do(putSchedule('often', { cron: String(MINUTE_MS), overlap: 'skip' }))
  await life.pass(MINUTE_MS)
  const key = { kind: 'schedule', tenant_id: 'acme', id: 'often' } as const
  const schedule = present(await life.store.get(key), 'the schedule is there')
  await life.together([fireSchedule(schedule, 'fired'), fireSchedule(schedule, 'twice')])
  await life.do(moveSchedule('often', 'paused'))
  await life.together([mintToken('kept'), mintToken('lost')])
}

async function again(life: Life): Promise<void> {
  await life.do(onJob('cancelJob', 'three'))
  await life.do(runAgain('three', 'three-again', { from_step: 'check', idempotency_key: 'rerun' }))
  await life.do(revokeToken('lost'))
  await life.do(steerQueue('read', { state: 'paused' }))
  await life.refusal(onJob('claimStep', 'three-again'))
}
