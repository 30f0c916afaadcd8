import { describe, expect, it } from 'vitest'
import { protocolOf, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { Command } from '../command.ts'
import type { Given } from '../decision.ts'
import type { JobCommand } from './commands.ts'
import { decideJob } from './decide.ts'

const ENDINGS = {
  SUCCEEDED: (ledger: KernelLedger) => ledger.succeed(),
  FAILED_FINAL: (ledger: KernelLedger) => ledger.fail('NON_RETRYABLE'),
  CANCELLED: (ledger: KernelLedger) => {
    ledger.cancel()
    ledger.succeed()
  },
}

/** Everything that can be asked of a job that was accepted, by somebody who knows all there is to know of it. */
function everyCommand(
  ledger: KernelLedger,
  fence = ledger.fence(),
): readonly Exclude<JobCommand, { type: 'submitJob' }>[] {
  const { outbox_id = 'none' } = ledger.rows()[0] ?? {}
  const error = { code: 'LATE', message: 'too late' }
  return [
    { type: 'advanceJob', ...fence },
    { type: 'cancelJob', ...fence },
    { type: 'claimStep', ...fence },
    { type: 'takeOutbox', ...fence },
    { type: 'recordSent', ...fence, outbox_id },
    { type: 'recordPublishFailure', ...fence, outbox_id, error },
    { type: 'ackStep', ...fence },
    { type: 'heartbeatStep', ...fence },
    { type: 'reportResult', ...fence, result: { status: 'SUCCEEDED', output: 'new', output_ref: 'new' } },
    { type: 'reportResult', ...fence, result: { status: 'FAILED', failure_class: 'RETRYABLE', error } },
  ]
}

function working(): KernelLedger {
  const ledger = new KernelLedger()
  ledger.submit({ protocol: protocolOf(pushed('ocr')) })
  ledger.publish()
  ledger.ack()
  return ledger
}

describe('A18: what has ended', () => {
  const cases = Object.keys(ENDINGS) as (keyof typeof ENDINGS)[]
  it.each(cases)('%s: no command changes the job, its steps or its outbox rows', (state) => {
    const ledger = working()
    const commands = everyCommand(ledger)
    ENDINGS[state](ledger)
    expect(ledger.job().state).toBe(state)
    const before = ledger.contents()
    ledger.now += 24 * 3_600_000
    for (const command of commands) {
      const decision = ledger.decide<Command>(command)
      if (decision.kind === 'change') {
        expect(decision.change, command.type).toMatchObject({ puts: [], claims: [], slots: [], signals: [] })
        ledger.commit(decision)
      }
    }
    expect(ledger.contents()).toEqual(before)
  })

  it('is answered so: unchanged, ignored, or nothing to take', () => {
    const ledger = working()
    const fence = ledger.fence()
    ledger.succeed()
    expect(ledger.cancel()).toBe(ledger.job())
    expect(ledger.last()).toMatchObject({ event: 'ignored', path: ['SUCCEEDED', 'SUCCEEDED'] })
    expect(ledger.advance()).toBe(ledger.job())
    expect(ledger.refusalOf({ type: 'claimStep', ...fence })).toMatchObject({
      code: 'NOT_CLAIMABLE',
      details: { state: 'SUCCEEDED', waits_for: 'nothing' },
    })
    expect(ledger.refusalOf({ type: 'takeOutbox', ...fence }).code).toBe('NOTHING_TO_PUBLISH')
  })
})

describe('A18: an etag that is demanded', () => {
  it('lets a command pass while it is current', () => {
    const ledger = working()
    const if_match = ledger.job().etag
    expect(ledger.run({ type: 'cancelJob', ...ledger.fence(), if_match }).state).toBe('CANCELLING')
  })

  it('refuses every command when it is stale: recorded, nothing changed', () => {
    const ledger = working()
    const { etag } = ledger.job()
    ledger.now += 1
    ledger.heartbeat()
    const before = ledger.contents()
    for (const command of everyCommand(ledger)) {
      expect(ledger.refusalOf({ ...command, if_match: etag })).toMatchObject({
        code: 'STALE_ETAG',
        field: 'if_match',
        message: `Job j1 has changed since etag ${etag} was read`,
        details: { job_id: 'j1', etag: ledger.job().etag, state: 'IN_PROGRESS' },
      })
      expect(ledger.last()).toMatchObject({
        event: 'refused',
        kind: 'job',
        id: 'j1',
        path: ['IN_PROGRESS', 'IN_PROGRESS'],
        metadata: { refusal: 'STALE_ETAG', command: command.type },
      })
    }
    expect(ledger.contents()).toEqual(before)
  })
})

describe('a job that is not there', () => {
  it('is not found, by any command, and leaves no trace', () => {
    const ledger = working()
    const history = ledger.history.length
    for (const command of everyCommand(ledger)) {
      const step = 'step_id' in command ? ` with step ${command.step_id}` : ''
      expect(ledger.refusalOf({ ...command, job_id: 'j9' })).toMatchObject({
        code: 'NOT_FOUND',
        message: `Job j9${step} is not known here`,
        field: 'job_id',
        next: 'Check the ids, and the tenant the job was submitted for.',
        details: { job_id: 'j9' },
      })
    }
    expect(ledger.history).toHaveLength(history)
  })

  it('is called by its own name where no step is named', () => {
    const ledger = new KernelLedger()
    const cancel = { type: 'cancelJob', tenant_id: 't1', job_id: 'j9', actor: 'ann', reason: null } as const
    expect(ledger.refusalOf(cancel).message).toBe('Job j9 is not known here')
  })

  it('is asked for when it was not loaded', () => {
    const given = { now: 0, get: () => undefined } as unknown as Given
    for (const command of everyCommand(working())) {
      expect(decideJob(command, given)).toEqual({
        kind: 'need',
        keys: [{ kind: 'job', tenant_id: 't1', id: 'j1' }],
      })
    }
  })
})
