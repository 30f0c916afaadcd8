import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { Command } from '../command.ts'
import { toIso } from '../time.ts'
import { IN_FLIGHT } from './limits.ts'
import type { ProtocolStep } from './protocol.ts'

// A store that writes row by row may die between two rows. What is then there is the beginning of a change: steps,
// then outbox rows, then the job. `advance` has to make of it what the whole change would have made.

const MINUTE = 60_000
const DOWN = { code: 'BUS_DOWN', message: 'connection refused' }

interface Case {
  readonly before: (ledger: KernelLedger) => void
  readonly command: (ledger: KernelLedger) => Command
}

const to = { tenant_id: 't1', job_id: 'j1', actor: 'test', reason: null }

function submit(...steps: readonly ProtocolStep[]): (ledger: KernelLedger) => void {
  return (ledger) => void ledger.submit({ protocol: protocolOf(...steps) })
}

function submitPushed(ledger: KernelLedger): void {
  submit(pushed('ocr'), pushed('index'))(ledger)
}

function startPushed(ledger: KernelLedger): void {
  submitPushed(ledger)
  ledger.publish()
  ledger.ack()
}

function startPulled(ledger: KernelLedger): void {
  submit(pulled('ocr'), pulled('index'))(ledger)
  ledger.claim()
}

function failed(ledger: KernelLedger, failure_class: 'RETRYABLE' | 'NON_RETRYABLE'): Command {
  const error = { code: 'BROKEN', message: 'it broke' }
  return { type: 'reportResult', ...ledger.fence(), result: { status: 'FAILED', failure_class, error } }
}

const CASES: { readonly [name: string]: Case } = {
  'a claim': {
    before: submit(pulled('ocr'), pulled('index')),
    command: () => ({ type: 'claimStep', ...to }),
  },
  'the dispatch of a delayed job': {
    before: (ledger) => {
      ledger.submit({ run_at: toIso(ledger.now + MINUTE), protocol: protocolOf(pushed('ocr')) })
      ledger.now += MINUTE
    },
    command: () => ({ type: 'advanceJob', ...to }),
  },
  'a take': { before: submitPushed, command: () => ({ type: 'takeOutbox', ...to }) },
  SENT: {
    before: (ledger) => {
      submitPushed(ledger)
      ledger.take()
    },
    command: (ledger) => ({ type: 'recordSent', ...to, outbox_id: ledger.rows()[0]?.outbox_id ?? '' }),
  },
  'a failed publish': {
    before: (ledger) => {
      submitPushed(ledger)
      ledger.take()
      ledger.now += 1
    },
    command: (ledger) => ({
      type: 'recordPublishFailure',
      ...to,
      outbox_id: ledger.rows()[0]?.outbox_id ?? '',
      error: DOWN,
    }),
  },
  'the last failed publish': {
    before: (ledger) => {
      submit(pushed('ocr', { policy: { publish_tries: 1 } }), pushed('index'))(ledger)
      ledger.take()
    },
    command: (ledger) => ({
      type: 'recordPublishFailure',
      ...to,
      outbox_id: ledger.rows()[0]?.outbox_id ?? '',
      error: DOWN,
    }),
  },
  'an ACK': {
    before: (ledger) => {
      submitPushed(ledger)
      ledger.publish()
    },
    command: (ledger) => ({ type: 'ackStep', ...ledger.fence() }),
  },
  'an ACK before SENT': {
    before: submitPushed,
    command: (ledger) => ({ type: 'ackStep', ...ledger.fence() }),
  },
  'a heartbeat': {
    before: (ledger) => {
      startPulled(ledger)
      ledger.now += 1
    },
    command: (ledger) => ({ type: 'heartbeatStep', ...ledger.fence() }),
  },
  'a success with a step to follow': {
    before: startPushed,
    command: (ledger) => ({ type: 'reportResult', ...ledger.fence(), result: { status: 'SUCCEEDED' } }),
  },
  'a success with a step to claim': {
    before: startPulled,
    command: (ledger) => ({ type: 'reportResult', ...ledger.fence(), result: { status: 'SUCCEEDED' } }),
  },
  'a success before SENT': {
    before: submitPushed,
    command: (ledger) => ({ type: 'reportResult', ...ledger.fence(), result: { status: 'SUCCEEDED' } }),
  },
  'the last success': {
    before: (ledger) => {
      startPulled(ledger)
      ledger.succeed()
      ledger.claim()
    },
    command: (ledger) => ({ type: 'reportResult', ...ledger.fence(), result: { status: 'SUCCEEDED' } }),
  },
  'a failure to be retried': { before: startPulled, command: (ledger) => failed(ledger, 'RETRYABLE') },
  'a failure retried at once': {
    before: (ledger) => {
      submit(pushed('ocr', { policy: { backoff: { kind: 'none', baseMs: 0, capMs: 0 } } }))(ledger)
      ledger.publish()
      ledger.ack()
    },
    command: (ledger) => failed(ledger, 'RETRYABLE'),
  },
  'a failure for good': { before: startPushed, command: (ledger) => failed(ledger, 'NON_RETRYABLE') },
  'a missing ACK': {
    before: (ledger) => {
      submitPushed(ledger)
      ledger.publish()
      ledger.now += MINUTE
    },
    command: () => ({ type: 'advanceJob', ...to }),
  },
  'a retry': {
    before: (ledger) => {
      startPushed(ledger)
      ledger.fail('RETRYABLE')
      ledger.now += MINUTE
    },
    command: () => ({ type: 'advanceJob', ...to }),
  },
  'a cancel of queued work': {
    before: submit(pulled('ocr'), pulled('index')),
    command: () => ({ type: 'cancelJob', ...to }),
  },
  'a cancel of dispatched work': { before: submitPushed, command: () => ({ type: 'cancelJob', ...to }) },
  'the end of a cancelled job': {
    before: (ledger) => {
      startPushed(ledger)
      ledger.cancel()
    },
    command: (ledger) => failed(ledger, 'RETRYABLE'),
  },
  'an expiry': {
    before: (ledger) => {
      ledger.submit({ expires_at: toIso(ledger.now + MINUTE) })
      ledger.now += MINUTE
    },
    command: () => ({ type: 'advanceJob', ...to }),
  },
  'a failed dependency': {
    before: (ledger) => {
      ledger.submit({ job_id: 'j0' })
      ledger.submit({ depends_on: ['j0'] })
      ledger.cancel('j0')
    },
    command: () => ({ type: 'advanceJob', ...to }),
  },
  'a skipped dependant': {
    before: (ledger) => {
      ledger.submit({ job_id: 'j0' })
      ledger.submit({ depends_on: ['j0'], on_dependency_failure: 'skip' })
      ledger.cancel('j0')
    },
    command: () => ({ type: 'advanceJob', ...to }),
  },
}

/** What a user sees of a job. */
function outline(ledger: KernelLedger) {
  const { state, current_step_index, error_code, error_message, attempts_total, due_at, ready } = ledger.job()
  return {
    job: { state, current_step_index, error_code, error_message, attempts_total, due_at, ready },
    steps: ledger.steps().map((step) => [step.state, step.attempt_no, step.last_error_code, step.input_ref]),
    rows: ledger
      .rows()
      .map((row) => [row.state === 'PENDING' ? 'open' : 'closed', row.tries, row.next_try_at]),
    inFlight: ledger.used(IN_FLIGHT),
  }
}

describe('A17: a crash in the middle of a change', () => {
  it.each(Object.keys(CASES))('%s: advance makes of every beginning what the whole makes', (name) => {
    const { before, command } = CASES[name] as Case
    const begin = () => {
      const ledger = new KernelLedger()
      before(ledger)
      const decision = ledger.decide(command(ledger))
      if (decision.kind !== 'change') throw new Error('The command has to be accepted')
      return { ledger, change: decision.change }
    }
    const { ledger: whole, change } = begin()
    whole.write(change)
    expect(change.puts.length).toBeGreaterThan(1)
    for (let kept = 1; kept < change.puts.length; kept++) {
      const { ledger, change: torn } = begin()
      ledger.write({ puts: torn.puts.slice(0, kept) })
      ledger.advance()
      expect(outline(ledger), `${kept} of ${change.puts.length} rows written`).toEqual(outline(whole))
      const repaired = ledger.contents()
      ledger.advance()
      expect(ledger.contents()).toEqual(repaired)
    }
  })

  it('puts come as steps, rows, job, so that the job is last to know', () => {
    const ledger = new KernelLedger()
    startPushed(ledger)
    const result = { status: 'SUCCEEDED' } as const
    const decision = ledger.decide({ type: 'reportResult', ...ledger.fence(), result })
    expect(decision.kind === 'change' && decision.change.puts.map(({ kind }) => kind)).toEqual([
      'step',
      'step',
      'outbox',
      'job',
    ])
  })
})
