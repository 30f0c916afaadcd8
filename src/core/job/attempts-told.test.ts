import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { toIso } from '../time.ts'
import { attemptsTold } from './attempts-told.ts'

function told(kernel: KernelLedger, isWhole = true) {
  const history = kernel
    .steps()
    .flatMap(({ step_id }) => kernel.records('step', `j1/${step_id}`))
    .filter(({ event }) => event === 'moved')
  return attemptsTold(kernel.steps(), history, isWhole)
}

describe('the attempts at the steps of a job', () => {
  it('none before the first', () => {
    const kernel = new KernelLedger()
    kernel.submit()
    expect(told(kernel)).toEqual({ items: [], is_complete: true })
  })

  it('a directive that goes out, is acknowledged, fails, and is tried again', () => {
    const kernel = new KernelLedger()
    kernel.submit({ protocol: protocolOf(pushed('ocr'), pulled('index')) })
    const start = kernel.now
    kernel.now += 1000
    kernel.publish()
    kernel.now += 1000
    kernel.ack()
    kernel.now += 1000
    kernel.fail('RETRYABLE')
    const { retry_at } = kernel.step()
    const first = {
      step_id: 'ocr',
      step_index: 0,
      attempt_no: 1,
      dispatched_at: toIso(start),
      sent_at: toIso(start + 1000),
      acked_at: toIso(start + 2000),
      ended_at: toIso(start + 3000),
      outcome: 'FAILED_RETRY',
      holder: 'worker-1',
      error_code: 'BROKEN',
      error_message: 'it broke',
      retry_at,
    }
    expect(told(kernel)).toEqual({ items: [first], is_complete: true })
    kernel.pass(600_000)
    const [before, second] = told(kernel).items
    expect(before).toEqual(first)
    expect(second).toMatchObject({
      attempt_no: 2,
      dispatched_at: retry_at,
      sent_at: null,
      outcome: null,
      holder: 'ocr-service',
      retry_at: null,
    })
  })

  it('workers have theirs at once, and each step its own', () => {
    const kernel = new KernelLedger()
    kernel.submit()
    const start = toIso(kernel.now)
    kernel.claim()
    kernel.now += 500
    kernel.succeed()
    kernel.claim()
    kernel.cancel()
    kernel.expedite({ ignore: ['attempt'] })
    expect(told(kernel).items).toMatchObject([
      {
        step_id: 'first',
        dispatched_at: start,
        sent_at: start,
        acked_at: start,
        ended_at: toIso(kernel.now),
        outcome: 'SUCCEEDED',
        error_code: null,
      },
      { step_id: 'second', step_index: 1, attempt_no: 1, outcome: 'CANCELLED', error_code: 'CANCELLED' },
    ])
  })

  it('a step that never began and was cancelled had none', () => {
    const kernel = new KernelLedger()
    kernel.submit()
    kernel.cancel()
    expect(told(kernel)).toEqual({ items: [], is_complete: true })
  })

  it('says when some are missing: history that is gone, or was not looked at', () => {
    const kernel = new KernelLedger()
    kernel.submit({ protocol: protocolOf(pulled('a')) })
    kernel.claim()
    kernel.fail('RETRYABLE')
    kernel.pass(600_000)
    kernel.claim()
    expect(told(kernel).is_complete).toBe(true)
    expect(told(kernel, false).is_complete).toBe(false)
    const moves = kernel.records('step', 'j1/a')
    const late = attemptsTold(kernel.steps(), moves.slice(3), true)
    expect(late).toMatchObject({ items: [{ attempt_no: 2 }], is_complete: false })
    const early = attemptsTold(kernel.steps(), moves.slice(0, 1), true)
    expect(early).toMatchObject({ items: [{ attempt_no: 1, holder: null }], is_complete: false })
  })
})
