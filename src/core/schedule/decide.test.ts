import { describe, expect, it } from 'vitest'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { withoutLoaded } from '../../../test/fixtures/not-loaded.ts'
import { moveSchedule, putSchedule, ScheduledLedger } from '../../../test/fixtures/schedules.ts'
import { decide, keyOf } from '../command.ts'
import { toIso } from '../time.ts'
import { scheduleDueAt } from './record.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

// The clock of these tests begins at 03:04:05.
describe('putting a schedule', () => {
  it('makes one that is next due at its first time to come', () => {
    const ledger = new KernelLedger()
    const at = toIso(ledger.now)
    expect(ledger.run(putSchedule)).toStrictEqual({
      kind: 'schedule',
      tenant_id: 't1',
      schedule_id: 'nightly',
      state: 'active',
      state_since: at,
      cron: '*/15',
      timezone: 'UTC',
      request: { request_type: 'TEST' },
      overlap: 'allow',
      catch_up: 'one',
      next_at: '2025-01-02T03:15:00.000Z',
      retry_at: null,
      last_at: null,
      last_job_id: null,
      last_error_code: null,
      last_error_message: null,
      created_at: at,
      updated_at: at,
      etag: 'etag-1',
    })
    expect(ledger.records('schedule', 'nightly')).toMatchObject([
      {
        event: 'moved',
        old_state: null,
        new_state: 'active',
        actor: 'operator',
        duration_seconds: null,
        metadata: { cron: '*/15', timezone: 'UTC', next_at: '2025-01-02T03:15:00.000Z' },
      },
    ])
  })

  it('changes the one there is, and keeps what it did', () => {
    const ledger = new ScheduledLedger()
    ledger.now += 11 * MINUTE
    const job_id = ledger.fire()
    const before = ledger.schedule
    ledger.now += MINUTE
    ledger.run({ ...putSchedule, cron: '*/30', overlap: 'skip', catch_up: 'all' })
    expect(ledger.schedule).toMatchObject({
      cron: '*/30',
      overlap: 'skip',
      catch_up: 'all',
      next_at: '2025-01-02T03:30:00.000Z',
      last_at: '2025-01-02T03:15:00.000Z',
      last_job_id: job_id,
      state_since: before.state_since,
      created_at: before.created_at,
      updated_at: toIso(ledger.now),
    })
    expect(ledger.last()).toMatchObject({ path: ['active', 'active'] })
  })

  it('one that never comes round is due at no time', () => {
    const ledger = new ScheduledLedger({ cron: 'never' })
    expect(ledger.schedule.next_at).toBeNull()
    expect(scheduleDueAt(ledger.schedule)).toBeNull()
  })

  it('leaves a paused one paused, and puts a removed one back', () => {
    const ledger = new ScheduledLedger()
    ledger.run(moveSchedule('paused'))
    expect(ledger.run({ ...putSchedule, cron: '*/30' })).toMatchObject({ state: 'paused', cron: '*/30' })
    ledger.run(moveSchedule('removed'))
    ledger.now += HOUR
    expect(ledger.run(putSchedule)).toMatchObject({
      state: 'active',
      state_since: toIso(ledger.now),
      next_at: '2025-01-02T04:15:00.000Z',
    })
    expect(ledger.last()).toMatchObject({ path: ['removed', 'active'] })
  })
})

describe('pausing, resuming and removing', () => {
  it('a paused one is not due; resumed, it goes on with the next time and catches up with none', () => {
    const ledger = new ScheduledLedger()
    expect(scheduleDueAt(ledger.schedule)).toBe('2025-01-02T03:15:00.000Z')
    ledger.run(moveSchedule('paused'))
    expect(scheduleDueAt(ledger.schedule)).toBeNull()
    ledger.now += 2 * HOUR
    expect(ledger.fire()).toBeNull()
    expect(ledger.run(moveSchedule('active'))).toMatchObject({
      state: 'active',
      state_since: toIso(ledger.now),
      next_at: '2025-01-02T05:15:00.000Z',
    })
    expect(ledger.last()).toMatchObject({
      path: ['paused', 'active'],
      duration_seconds: 7200,
      metadata: { next_at: '2025-01-02T05:15:00.000Z' },
    })
  })

  it('pausing or removing leaves its next time as it is', () => {
    const ledger = new ScheduledLedger()
    const { next_at } = ledger.schedule
    ledger.now += HOUR
    expect(ledger.run(moveSchedule('paused'))).toMatchObject({ next_at })
    expect(ledger.run(moveSchedule('removed'))).toMatchObject({ next_at, state: 'removed' })
  })

  it('what it is already is no news', () => {
    const ledger = new ScheduledLedger()
    const before = ledger.schedule
    const history = ledger.history.length
    expect(ledger.run(moveSchedule('active'))).toBe(before)
    expect(ledger.history).toHaveLength(history)
  })

  it('one that was removed, or never was, is not found', () => {
    const ledger = new ScheduledLedger()
    ledger.run(moveSchedule('removed'))
    for (const command of [moveSchedule('active'), moveSchedule('active', { schedule_id: 'other' })]) {
      expect(ledger.refusalOf(command)).toMatchObject({
        code: 'NOT_FOUND',
        field: 'schedule_id',
        details: { schedule_id: command.schedule_id },
      })
    }
  })
})

describe('demanding an etag of a schedule', () => {
  it('the right one is accepted; of one that is not there it is empty', () => {
    const ledger = new KernelLedger()
    const { etag } = ledger.run({ ...putSchedule, if_match: '' })
    expect(ledger.run(moveSchedule('paused', { if_match: etag }))).toMatchObject({ state: 'paused' })
  })

  it.each([true, false])('a stale one is refused, and the history keeps it (there before: %s)', (isThere) => {
    const ledger = isThere ? new ScheduledLedger() : new KernelLedger()
    const before = ledger.contents()
    expect(ledger.refusalOf({ ...putSchedule, if_match: 'old' })).toMatchObject({
      code: 'STALE_ETAG',
      field: 'if_match',
      details: { schedule_id: 'nightly', etag: isThere ? 'etag-1' : null },
    })
    expect(ledger.contents()).toEqual(before)
    expect(ledger.last()).toMatchObject({
      event: 'refused',
      path: [isThere ? 'active' : null, 'active'],
      metadata: { refusal: 'STALE_ETAG', command: 'putSchedule' },
    })
  })
})

it('is asked for when it was not loaded', () => {
  const key = { kind: 'schedule', tenant_id: 't1', id: 'nightly' }
  const ledger = new ScheduledLedger()
  for (const command of [putSchedule, moveSchedule('paused'), ledger.fireCommand()]) {
    expect(keyOf(command)).toEqual(key)
    expect(decide(command, withoutLoaded(ledger, 'schedule'))).toEqual({ kind: 'need', keys: [key] })
  }
})
