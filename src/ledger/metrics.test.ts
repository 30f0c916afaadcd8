import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { openLedger } from '../open-ledger.ts'
import { virtualWorld } from '../testing/virtual-world.ts'

const HOUR = 3_600_000

async function setUp() {
  const world = virtualWorld()
  const metrics = new Registry()
  const ledger = await openLedger('./metrics', { world, metrics })
  const told = async () =>
    (await metrics.metrics()).split('\n').filter((line) => !line.startsWith('#') && !/ 0$|^$/.test(line))
  return { world, metrics, ledger, told }
}

describe('metrics', () => {
  it('tell transitions, errors, refusals, records by state, stuck documents and how long opening took', async () => {
    const { world, ledger, told } = await setUp()
    await ledger.documents.updateState('a', 'fetching')
    await ledger.documents.updateState('a', 'failed', { error: new TypeError('x') })
    await ledger.documents.updateState('b', 'fetching')
    await ledger.documents.updateState('b', 'indexed').catch(() => {})
    await ledger.batch((make) => [make.updateState('c', 'skipped'), make.updateState('d', 'fetching')])
    await world.advanceBy(HOUR)
    expect((await told()).toSorted()).toEqual([
      'waybill_errors_total{kind="document",error_type="TypeError"} 1',
      'waybill_records{kind="document",state="failed"} 1',
      'waybill_records{kind="document",state="fetching"} 2',
      'waybill_records{kind="document",state="skipped"} 1',
      'waybill_refusals_total{kind="document",code="INVALID_STATE_TRANSITION"} 1',
      'waybill_stuck_documents{state="fetching"} 2',
      'waybill_transitions_total{kind="document",from="fetching",to="failed"} 1',
      'waybill_transitions_total{kind="document",from="pending",to="fetching"} 3',
      'waybill_transitions_total{kind="document",from="pending",to="skipped"} 1',
    ])
    await ledger.close()
  })

  it('tell every state that a job passes through, also by timers', async () => {
    const { world, ledger, told } = await setUp()
    const step = { step_id: 's', step_type: 'S', service: 's', delivery: 'pull' } as const
    ledger.jobs.register({ protocol_id: 'p', request_type: 'P', steps: [step] })
    const request = { tenant_id: 'default', request_type: 'P', input_ref: 'i', output_ref: 'o' } as const
    await ledger.jobs.submit({ ...request, payload: {}, schema_version: 'v1' })
    await ledger.jobs.claim({ queues: ['s'], worker: 'w' })
    await world.advanceBy(HOUR)
    await ledger.advance()
    const lines = await told()
    expect(lines).toContain('waybill_transitions_total{kind="job",from="",to="QUEUED"} 1')
    expect(lines).toContain('waybill_transitions_total{kind="step",from="AWAITING_ACK",to="IN_PROGRESS"} 1')
    expect(lines).toContain('waybill_transitions_total{kind="step",from="IN_PROGRESS",to="FAILED_RETRY"} 1')
    expect(lines).toContain('waybill_errors_total{kind="step",error_type="LEASE_EXPIRED"} 1')
    expect(lines).toContain('waybill_records{kind="step",state="FAILED_RETRY"} 1')
    await ledger.close()
  })

  it('do not let names of errors grow without end', async () => {
    const { ledger, told } = await setUp()
    await ledger.documents.updateMany(
      Array.from({ length: 300 }, (_, i) => [
        { doc_id: `d${i}`, state: 'fetching' as const },
        { doc_id: `d${i}`, state: 'failed' as const, error: { error_type: `E${i}`, error_message: 'm' } },
      ]).flat(),
    )
    const errors = (await told()).filter((line) => line.startsWith('waybill_errors_total'))
    expect(errors).toHaveLength(201)
    expect(errors).toContain('waybill_errors_total{kind="document",error_type="other"} 100')
    await ledger.close()
  })

  it('belong to one ledger, and need a registry', async () => {
    const { metrics, world, ledger } = await setUp()
    await expect(openLedger('./another', { world, metrics })).rejects.toMatchObject({ field: 'metrics' })
    await expect(openLedger('./another', { world, metrics: {} as never })).rejects.toMatchObject({
      field: 'metrics',
    })
    // It was closed again, and can be opened.
    await (await openLedger('./another', { world })).close()
    await ledger.close()
  })
})
