import { describe, expect, it } from 'vitest'
import { protocolOf, pulled } from '../../../test/fixtures/job-commands.ts'
import { withoutLoaded } from '../../../test/fixtures/not-loaded.ts'
import { moveSchedule, putSchedule, ScheduledLedger } from '../../../test/fixtures/schedules.ts'
import { decide } from '../command.ts'
import { fromIso, toIso } from '../time.ts'
import { scheduleDueAt } from './record.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The first time of the schedule; the clock begins at 03:04:05. */
const FIRST = '2025-01-02T03:15:00.000Z'

function atFirstTime(...more: ConstructorParameters<typeof ScheduledLedger>): ScheduledLedger {
  const ledger = new ScheduledLedger(...more)
  ledger.now = fromIso(FIRST)
  return ledger
}

describe('a schedule whose time has come', () => {
  it('submits a job, and both are one change', () => {
    const ledger = atFirstTime()
    const command = ledger.fireCommand()
    const decision = ledger.decide(command)
    expect(decision.kind === 'change' && decision.change.puts.map(({ kind }) => kind)).toEqual([
      'step',
      'step',
      'job',
      'schedule',
    ])
    expect(ledger.commit(decision)).toEqual({ job_id: 'fired-1' })
    expect(ledger.job('fired-1')).toMatchObject({ state: 'QUEUED', schedule_id: 'nightly' })
    expect(ledger.schedule).toMatchObject({
      next_at: '2025-01-02T03:30:00.000Z',
      last_at: FIRST,
      last_job_id: 'fired-1',
      updated_at: FIRST,
    })
    expect(ledger.last()).toMatchObject({
      kind: 'schedule',
      event: 'moved',
      path: ['active', 'active'],
      actor: 'schedule',
      metadata: { job_id: 'fired-1', time: FIRST, next_at: '2025-01-02T03:30:00.000Z' },
    })
  })

  it('submits one job for it, however many ask', () => {
    const ledger = atFirstTime()
    const [mine, yours] = [ledger.fireCommand(), ledger.fireCommand()]
    expect(ledger.run(mine)).toEqual({ job_id: 'fired-1' })
    const before = ledger.contents()
    expect(ledger.run(yours)).toEqual({ job_id: null })
    expect(ledger.contents()).toEqual(before)
  })

  it('does nothing before its time', () => {
    const ledger = atFirstTime()
    ledger.now -= 1
    const before = ledger.contents()
    expect(ledger.fire()).toBeNull()
    expect(ledger.contents()).toEqual(before)
  })

  it('does nothing once it was paused, removed or given another time', () => {
    for (const meanwhile of [
      moveSchedule('paused'),
      moveSchedule('removed'),
      { ...putSchedule, cron: '*/20' },
    ]) {
      const ledger = atFirstTime()
      const command = ledger.fireCommand()
      ledger.run(meanwhile)
      const before = ledger.contents()
      expect(ledger.run(command)).toEqual({ job_id: null })
      expect(ledger.contents()).toEqual(before)
    }
  })

  it('is not found when it never was there', () => {
    const ledger = atFirstTime()
    expect(ledger.refusalOf({ ...ledger.fireCommand(), schedule_id: 'other' }).code).toBe('NOT_FOUND')
  })

  it('comes to rest after its last time', () => {
    const ledger = atFirstTime()
    ledger.run({ ...ledger.fireCommand(), calendar: () => null })
    expect(ledger.schedule).toMatchObject({ next_at: null, last_job_id: 'fired-1' })
    expect(scheduleDueAt(ledger.schedule)).toBeNull()
  })
})

describe('times that passed while nobody was there', () => {
  it('one: a job for all of them, then the next time to come', () => {
    const ledger = atFirstTime({ catch_up: 'one' })
    ledger.now += 2 * HOUR
    expect(ledger.fire()).toBe('fired-1')
    expect(ledger.schedule).toMatchObject({ last_at: FIRST, next_at: '2025-01-02T05:30:00.000Z' })
  })

  it('all: a job for each', () => {
    const ledger = atFirstTime({ catch_up: 'all' })
    ledger.now += HOUR
    const times: (string | null)[] = []
    while ((scheduleDueAt(ledger.schedule) ?? '') <= toIso(ledger.now)) {
      times.push(ledger.schedule.next_at)
      expect(ledger.fire()).not.toBeNull()
    }
    expect(times.map((time) => time?.slice(11, 16))).toEqual(['03:15', '03:30', '03:45', '04:00', '04:15'])
  })

  it('none: no job, and the history says so', () => {
    const ledger = atFirstTime({ catch_up: 'none' })
    ledger.now += MINUTE + 1
    expect(ledger.fire()).toBeNull()
    expect(ledger.schedule).toMatchObject({
      last_at: FIRST,
      last_job_id: null,
      next_at: '2025-01-02T03:30:00.000Z',
    })
    expect(ledger.last()).toMatchObject({
      kind: 'schedule',
      metadata: { job_id: null, time: FIRST, why: 'missed: nobody was there to submit it' },
    })
  })

  it('none: a minute late is on time', () => {
    const ledger = atFirstTime({ catch_up: 'none' })
    ledger.now += MINUTE
    expect(ledger.fire()).toBe('fired-1')
  })
})

describe('when the job before is still open', () => {
  it('allow: another one beside it', () => {
    const ledger = atFirstTime({ overlap: 'allow' })
    ledger.fire()
    ledger.now += 15 * MINUTE
    expect(ledger.fire()).toBe('fired-2')
  })

  it('skip: none, and the history says why; the next time counts again', () => {
    const ledger = atFirstTime({ overlap: 'skip' })
    expect(ledger.fire()).toBe('fired-1')
    ledger.now += 15 * MINUTE
    expect(ledger.fire()).toBeNull()
    expect(ledger.schedule).toMatchObject({
      last_at: '2025-01-02T03:30:00.000Z',
      last_job_id: 'fired-1',
      next_at: '2025-01-02T03:45:00.000Z',
    })
    expect(ledger.last().metadata).toMatchObject({ why: 'skipped: job fired-1 is still open' })
    ledger.cancel('fired-1')
    ledger.now += 15 * MINUTE
    expect(ledger.fire()).toBe('fired-3')
  })

  it('skip: one that is no longer there is not in the way', () => {
    const ledger = atFirstTime({ overlap: 'skip' })
    ledger.write({ puts: [{ ...ledger.schedule, last_job_id: 'long gone' }] })
    expect(ledger.fire()).toBe('fired-1')
  })

  it('skip: it is asked for when it was not loaded', () => {
    const ledger = atFirstTime({ overlap: 'skip' })
    ledger.fire()
    ledger.now += 15 * MINUTE
    expect(decide(ledger.fireCommand(), withoutLoaded(ledger, 'job'))).toEqual({
      kind: 'need',
      keys: [{ kind: 'job', tenant_id: 't1', id: 'fired-1' }],
    })
  })
})

describe('when the job is refused', () => {
  /** A tenant with as many open jobs as it may have. */
  function full(more: ConstructorParameters<typeof ScheduledLedger>[0] = {}): ScheduledLedger {
    const ledger = atFirstTime(more)
    ledger.submit({ job_id: 'open', protocol: protocolOf(pulled('only')) })
    return ledger
  }

  const limit = { inFlightLimit: 1 }

  it('the same time is tried again, and the history says so once', () => {
    const ledger = full()
    expect(ledger.fire(limit)).toBeNull()
    const retry_at = toIso(ledger.now + 30 * SECOND)
    expect(ledger.schedule).toMatchObject({
      next_at: FIRST,
      retry_at,
      last_at: null,
      last_error_code: 'IN_FLIGHT_LIMIT',
    })
    expect(ledger.schedule.last_error_message).toMatch(/as many as it may/)
    expect(scheduleDueAt(ledger.schedule)).toBe(retry_at)
    expect(ledger.last()).toMatchObject({
      kind: 'schedule',
      error_type: 'IN_FLIGHT_LIMIT',
      metadata: { job_id: null, time: FIRST, retry_at },
    })
    const history = ledger.history.length
    expect(ledger.fire(limit)).toBeNull()
    expect(ledger.schedule.retry_at).toBe(retry_at)
    ledger.now += 30 * SECOND
    expect(ledger.fire(limit)).toBeNull()
    expect(ledger.schedule.retry_at).toBe(toIso(ledger.now + 30 * SECOND))
    expect(ledger.history).toHaveLength(history)
    ledger.cancel('open')
    ledger.now += 30 * SECOND
    expect(ledger.fire(limit)).not.toBeNull()
    expect(ledger.schedule).toMatchObject({
      last_at: FIRST,
      retry_at: null,
      last_error_code: null,
      last_error_message: null,
      next_at: '2025-01-02T03:30:00.000Z',
    })
  })

  it('another reason is told again', () => {
    const ledger = full()
    ledger.fire(limit)
    ledger.now += 30 * SECOND
    const history = ledger.history.length
    expect(ledger.fire({ depends_on: ['nobody'] })).toBeNull()
    expect(ledger.history).toHaveLength(history + 1)
    expect(ledger.last().error_type).toBe('DEPENDENCY_UNKNOWN')
  })

  // It was told that nobody had been there, though somebody was, every half minute.
  it('it is not missed for being put off, though missed times are not made up for', () => {
    const ledger = full({ catch_up: 'none' })
    for (let tries = 0; tries < 10; tries++) {
      expect(ledger.fire(limit)).toBeNull()
      expect(ledger.schedule).toMatchObject({ next_at: FIRST, last_error_code: 'IN_FLIGHT_LIMIT' })
      ledger.now += 30 * SECOND
    }
    ledger.cancel('open')
    expect(ledger.fire(limit)).not.toBeNull()
  })

  it('put off, it may still be missed', () => {
    const ledger = full({ catch_up: 'none' })
    ledger.fire(limit)
    ledger.now += HOUR
    expect(ledger.fire(limit)).toBeNull()
    expect(ledger.last().metadata).toMatchObject({ why: 'missed: nobody was there to submit it' })
    expect(ledger.schedule).toMatchObject({ retry_at: null, next_at: '2025-01-02T04:30:00.000Z' })
  })

  it('new settings begin anew', () => {
    const ledger = full()
    ledger.fire(limit)
    expect(ledger.run(putSchedule)).toMatchObject({ retry_at: null, last_error_code: null })
    expect(ledger.run(moveSchedule('paused'))).toMatchObject({ retry_at: null })
  })
})

it('asks for what its job needs', () => {
  const ledger = atFirstTime()
  expect(decide(ledger.fireCommand(), withoutLoaded(ledger, 'job'))).toEqual({
    kind: 'need',
    keys: [{ kind: 'job', tenant_id: 't1', id: 'fired-1' }],
  })
})
