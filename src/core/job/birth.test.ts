import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyJson } from '../../../test/fixtures/any-json.ts'
import { protocolOf, pulled, pushed, submitOf } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { Change } from '../decision.ts'
import { Births } from './birth.ts'
import type { SubmitJob } from './commands.ts'
import { IN_FLIGHT } from './limits.ts'
import type { Protocol } from './protocol.ts'

const PROTOCOL = protocolOf(pulled('first'), pulled('second'))

let made = 0

/** Another job for which only its id, its request and the time are its own. */
function alike(more: Partial<SubmitJob> = {}): SubmitJob {
  const job_id = `made-${++made}`
  return { ...SHARED, job_id, idempotency_hash: `hash-of-${job_id}`, payload: { about: job_id }, ...more }
}

const SHARED: SubmitJob = submitOf({ protocol: PROTOCOL, isFreshId: true })

function changeOf(ledger: KernelLedger, command: SubmitJob): Change {
  const decision = ledger.decide(command)
  if (decision.kind !== 'change') throw new Error(decision.kind)
  return decision.change
}

/** Nobody has submitted anything like it: everything is decided anew. */
function decidedAnew(ledger: KernelLedger, command: SubmitJob): Change {
  return changeOf(ledger, { ...command, protocol: { ...command.protocol } as Protocol })
}

function told({ puts, audit, claims, slots, signals }: Change) {
  return { puts, audit, claims, slots, signals }
}

describe('jobs that are submitted alike', () => {
  it('are decided once, and each is what it would be if it had been decided by itself', () => {
    const shared = fc.record({
      priority: fc.constantFrom(0, 1, 2, 3),
      keyed: fc.boolean(),
      mode: fc.constantFrom(undefined, 'DEFAULT'),
      pipeline_name: fc.constantFrom(null, 'pdf'),
      reason: fc.constantFrom(null, 'asked'),
    })
    const own = fc.record({
      laterMs: fc.nat(5000),
      payload: anyJson,
      input_ref: fc.constantFrom('in', { uri: 'in', size_bytes: 3 }),
      output_ref: fc.constantFrom('out', { uri: 'out' }),
      key: fc.string({ minLength: 1 }),
    })
    let births = 0
    fc.assert(
      fc.property(shared, fc.array(own, { minLength: 1, maxLength: 5 }), ({ keyed, ...same }, jobs) => {
        const ledger = new KernelLedger()
        const protocol = { ...PROTOCOL }
        for (const { laterMs, key, ...request } of jobs) {
          ledger.now += laterMs
          const idempotency_key = keyed ? `${key}-${made}` : null
          const command = alike({ ...same, ...request, protocol, idempotency_key } as Partial<SubmitJob>)
          const anew = decidedAnew(ledger, command)
          const change = changeOf(ledger, command)
          births += change.births?.length ?? 0
          expect(told(change)).toEqual(told(anew))
          ledger.write(change)
        }
      }),
    )
    expect(births).toBeGreaterThan(0)
  })

  it('have records as they are written, which nobody changes any more', () => {
    const ledger = new KernelLedger()
    ledger.write(changeOf(ledger, alike()))
    const [birth] = changeOf(ledger, alike()).births ?? []
    const early = birth?.job
    expect([early?.etag, birth?.etag]).toEqual(['', null])
    birth?.written('7')
    expect(birth?.etag).toBe('7')
    expect(birth?.job).toBe(early)
    const parts = [birth?.job, ...(birth?.steps ?? [])]
    expect(parts.map((part) => [part?.etag, Object.isFrozen(part)])).toEqual([
      ['7', true],
      ['7', true],
      ['7', true],
    ])
    expect(birth?.job).toBe(birth?.job)
    expect([birth?.due_at, birth?.waits_for, birth?.outbox]).toEqual([null, [], []])
  })

  it('has what somebody looked at too early as it is written', () => {
    const ledger = new KernelLedger()
    ledger.write(changeOf(ledger, alike()))
    const commands = [alike(), alike(), alike()]
    const [first, second, third] = commands.flatMap((command) => changeOf(ledger, command).births ?? [])
    const early = [first?.steps[0], second?.job]
    first?.written('7')
    second?.written('8')
    third?.written('9')
    expect(early.map((record) => [record?.etag, Object.isFrozen(record)])).toEqual([
      ['7', true],
      ['8', true],
    ])
    expect([first?.steps[0], second?.job]).toEqual(early)
    expect(third?.job.etag).toBe('9')
  })

  it('is asked for what others have: one that was accepted before is answered with that', () => {
    const ledger = new KernelLedger()
    const first = alike()
    ledger.run(first)
    expect(ledger.run({ ...first, job_id: 'another' })).toMatchObject({
      job_id: first.job_id,
      duplicate: true,
    })
    const second = alike({ idempotency_hash: first.idempotency_hash })
    expect(ledger.run(second)).toMatchObject({ job_id: first.job_id, duplicate: true })
  })

  it('is asked for what others take: none is accepted above the limit', () => {
    const ledger = new KernelLedger()
    const limited = (): SubmitJob => alike({ inFlightLimit: 2 })
    ledger.run(limited())
    ledger.run(limited())
    expect(ledger.decide(limited())).toMatchObject({ refusal: { code: 'IN_FLIGHT_LIMIT' } })
    expect(ledger.used(IN_FLIGHT)).toBe(2)
  })

  it.each<[string, Partial<SubmitJob>]>([
    ['id', { isFreshId: false, job_id: 'chosen' }],
    ['document', { doc_id: 'doc:1' }],
    ['document of its own', { doc_key: 'k' }],
    ['run', { run_id: 'r' }],
    ['workstream', { workstream_id: 'w' }],
    ['time to begin', { run_at: '2025-03-01T00:00:00.000Z' }],
    ['delay', { delay_ms: 1000 }],
    ['end', { expires_at: '2025-03-01T00:00:00.000Z' }],
    ['ladder', { rungs: [{ protocol: PROTOCOL }] as never }],
    ['payload for each step', { payload: { steps: { first: { a: 1 } } } }],
    ['tenant', { tenant_id: 't2' }],
    ['actor', { actor: 'bob' }],
    ['reason', { reason: 'why not' }],
    ['type', { request_type: 'OTHER' }],
    ['version', { schema_version: 'v2' }],
    ['mode', { mode: 'DEFAULT' }],
    ['mode of its tenant', { tenantMode: 'DEFAULT' }],
    ['mode of its ledger', { globalMode: 'DEFAULT' }],
    ['limit', { inFlightLimit: 7 }],
    ['priority', { priority: 0 }],
    ['policy', { on_dependency_failure: 'skip' }],
    ['schedule', { schedule_id: 's' }],
    ['pipeline', { pipeline_name: 'p' }],
    ['metadata', { metadata: { a: 1 } }],
    ['tags', { tags: ['red'] }],
    ['callbacks', { callback_urls: { ack: 'http://a' } }],
    ['correlation', { correlation_id: 'c' }],
    ['trace', { traceparent: '00-1' }],
    ['key', { idempotency_key: 'k' }],
  ])('are not alike when one has a %s of its own', (_, own) => {
    const ledger = new KernelLedger()
    ledger.write(changeOf(ledger, alike()))
    expect(changeOf(ledger, alike()).births).toHaveLength(1)
    const command = alike(own)
    const anew = decidedAnew(ledger, command)
    const change = changeOf(ledger, command)
    expect(change.births).toBeUndefined()
    expect(told(change)).toEqual(told(anew))
  })

  it('are not alike when one waits for another', () => {
    const ledger = new KernelLedger()
    const first = alike()
    ledger.run(first)
    expect(changeOf(ledger, alike({ depends_on: [first.job_id] })).births).toBeUndefined()
  })

  it.each([
    ['goes out at once', protocolOf(pushed('first'))],
    ['has limits', protocolOf(pulled('first', { limits: [{ key: 'k', max: 1 }] }))],
    [
      'has a gate',
      protocolOf(
        pulled('first'),
        pulled('second', { gate: { name: 'g', when: { field: 'metadata.a', exists: true } } as never }),
      ),
    ],
    ['is somebody else’s to begin', protocolOf(pulled('first', { delivery: 'external' }))],
  ])('are each decided by itself when a step %s', (_, protocol) => {
    const ledger = new KernelLedger()
    ledger.run(alike({ protocol }))
    expect(changeOf(ledger, alike({ protocol })).births).toBeUndefined()
  })

  it('have one change when there are several', () => {
    const ledger = new KernelLedger()
    ledger.write(changeOf(ledger, alike()))
    const births = [alike(), alike()].flatMap((command) => changeOf(ledger, command).births ?? [])
    const change = new Births(births)
    expect(change.puts.map(({ kind }) => kind)).toEqual(['step', 'step', 'job', 'step', 'step', 'job'])
    expect([change.puts, change.audit, change.claims, change.slots]).toEqual([
      change.puts,
      change.audit,
      change.claims,
      change.slots,
    ])
    expect(change.claims.map(({ owner }) => owner)).toEqual(births.map(({ job_id }) => job_id))
  })
})
