import { expect, it } from 'vitest'
import type { Envelope } from '../ledger/request.ts'
import { openLedger } from '../open-ledger.ts'
import { virtualWorld } from '../testing/virtual-world.ts'

const PROTOCOL = {
  protocol_id: 'p',
  request_type: 'P',
  steps: [
    {
      step_id: 's',
      step_type: 'S',
      service: 'q',
      delivery: 'pull',
      policy: { backoff: { kind: 'list', delaysMs: [100, 60_000] } },
    },
  ],
} as const

function request(input_ref: string, more: Partial<Envelope> = {}): Envelope {
  return {
    tenant_id: 'default',
    request_type: 'P',
    input_ref,
    output_ref: 'o',
    payload: {},
    schema_version: 'v1',
    ...more,
  }
}

it('is idle when everything is done, what follows from it and what is due soon as well', async () => {
  const world = virtualWorld()
  await using ledger = await openLedger('memory:', { world, protocols: [PROTOCOL] })
  await ledger.jobs.submit(request('first', { job_id: 'first' }))
  await ledger.jobs.submit(request('after', { job_id: 'after', depends_on: ['first'] }))
  await ledger.jobs.submit(request('later', { job_id: 'later', delay: '1h' }))
  let tries = 0
  const seen: string[] = []
  ledger.work({
    q: ({ job, step }) => {
      seen.push(`${job.job_id} ${step.attempt_no}`)
      if (job.job_id === 'first' && ++tries < 2) throw new Error('once more')
    },
  })
  let isIdle = false
  const idle = ledger.idle().then(() => {
    isIdle = true
  })
  await world.advanceBy(50)
  expect({ isIdle, seen }).toEqual({ isIdle: false, seen: ['first 1'] })
  await world.advanceBy(2000)
  await idle
  expect(seen).toEqual(['first 1', 'first 2', 'after 1'])
  expect((await ledger.jobs.get('later'))?.state).toBe('QUEUED')
})

it('does not wait for what is paused, and stops waiting when it is told to', async () => {
  const world = virtualWorld()
  await using ledger = await openLedger('memory:', { world, protocols: [PROTOCOL] })
  await ledger.queues.pause('q')
  await ledger.jobs.submit(request('one'))
  const { promise: never, resolve: end } = Promise.withResolvers<void>()
  ledger.work({ q: () => never })
  const paused = ledger.idle()
  await world.advanceBy(2000)
  await paused
  await ledger.queues.resume('q')
  await world.advanceBy(1000)
  const enough = new AbortController()
  const stopped = ledger.idle({ signal: enough.signal })
  enough.abort()
  await stopped
  end()
})
