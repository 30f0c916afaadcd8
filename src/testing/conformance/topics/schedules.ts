import assert from 'node:assert/strict'
import type { ScheduleRecord } from '../../../core/schedule/record.ts'
import { HOUR_MS } from '../../../core/time.ts'
import type { Check, Topic } from '../check.ts'
import { fireSchedule, moveSchedule, putSchedule, TENANT } from '../commands.ts'
import { auditAll, findAll } from '../reading.ts'
import type { Scene } from '../scene.ts'

async function scheduleOf(scene: Scene, id: string, tenant_id = TENANT): Promise<ScheduleRecord> {
  const schedule = await scene.store.get({ kind: 'schedule', tenant_id, id })
  assert(schedule !== null, `schedule ${id} is there`)
  return schedule
}

const checks: readonly Check[] = [
  {
    name: 'keeps schedules, each with its tenant',
    async run(scene) {
      const made = await scene.do(putSchedule('nightly'))
      const theirs = await scene.do(putSchedule('nightly', { tenant_id: 'Zeta', catch_up: 'all' }))
      const paused = await scene.do(moveSchedule('nightly', 'paused', { tenant_id: 'Zeta' }))
      assert.deepEqual(await scheduleOf(scene, 'nightly'), made)
      assert.deepEqual(await scheduleOf(scene, 'nightly', 'Zeta'), paused)
      assert.notEqual(paused.etag, theirs.etag)
      const active = await findAll(scene.store, { kind: 'schedule', where: { state: 'active' } })
      assert.deepEqual(active, [made])
      assert.deepEqual(await scene.store.check(), [])
    },
  },
  {
    name: 'writes schedule and job as one: a time is dealt with once, however many ask',
    async run(scene) {
      await scene.do(putSchedule('hourly'))
      await scene.pass(HOUR_MS)
      const due = await scheduleOf(scene, 'hourly')
      const stores = await scene.writers()
      const racing = Array.from({ length: 8 }, (_, n) =>
        scene.act(fireSchedule(due, `fired-${n}`), stores[n % stores.length]),
      )
      const outcomes = await scene.within(Promise.all(racing), 'eight timekeepers')
      const ids = outcomes.flatMap((outcome) =>
        outcome.ok && outcome.answer.job_id !== null ? [outcome.answer.job_id] : [],
      )
      assert.equal(ids.length, 1)
      const after = await scheduleOf(scene, 'hourly')
      assert.deepEqual([after.last_job_id, after.last_at], [ids[0], due.next_at])
      const jobs = await findAll(scene.store, { kind: 'job' })
      assert.deepEqual(
        jobs.map(({ job_id, schedule_id }) => [job_id, schedule_id]),
        [[ids[0], 'hourly']],
      )
      assert.equal((await auditAll(scene.store, { kind: 'schedule' })).length, 2)
    },
  },
  {
    name: 'still knows its schedules after maintenance, also those that were removed',
    async run(scene) {
      await scene.do(putSchedule('kept'))
      await scene.do(putSchedule('gone'))
      const gone = await scene.do(moveSchedule('gone', 'removed'))
      const kept = await scheduleOf(scene, 'kept')
      for (let times = 0; times < 2; times++) {
        await scene.store.maintain()
        assert.deepEqual(await scheduleOf(scene, 'kept'), kept)
        assert.deepEqual(await scheduleOf(scene, 'gone'), gone)
      }
      await scene.pass(HOUR_MS)
      assert.equal((await scene.do(fireSchedule(kept, 'fired'))).job_id, 'fired')
    },
  },
  {
    name: 'still knows its schedules when it is opened again',
    reopens: true,
    async run(scene) {
      const kept = await scene.do(putSchedule('kept', { overlap: 'skip' }))
      await scene.reopen()
      assert.deepEqual(await scheduleOf(scene, 'kept'), kept)
      await scene.pass(HOUR_MS)
      assert.equal((await scene.do(fireSchedule(kept, 'fired'))).job_id, 'fired')
      await scene.store.maintain()
      await scene.reopen()
      const after = await scheduleOf(scene, 'kept')
      assert.equal(after.last_job_id, 'fired')
      assert.equal((await scene.do(fireSchedule(kept, 'twice'))).job_id, null)
      await scene.pass(HOUR_MS)
      assert.equal((await scene.do(fireSchedule(after, 'overlaps'))).job_id, null, 'the first is still open')
    },
  },
]

export const schedules: Topic = { topic: 'schedules', checks }
