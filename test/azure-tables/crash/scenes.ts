// Everything that writes more than one row: what is there before, and what is then cut off somewhere.

import { decideBatch } from '../../../src/core/batch.ts'
import { type Command, decide, keyOf } from '../../../src/core/command.ts'
import { change } from '../../../src/core/decision.ts'
import type { ScheduleRecord } from '../../../src/core/schedule/record.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS, toIso } from '../../../src/core/time.ts'
import type { Store } from '../../../src/store/store.ts'
import {
  ack,
  annotate,
  expedite,
  failure,
  fireSchedule,
  giveBack,
  heartbeat,
  mintToken,
  moveDocument,
  onJob,
  putSchedule,
  recordPublishFailure,
  recordSent,
  report,
  reportStage,
  runAgain,
  SUCCESS,
  stageDone,
  steerQueue,
  submitJob,
  TENANT,
} from '../../../src/testing/conformance/commands.ts'
import { createGroup, sealGroup } from '../../../src/testing/conformance/group-commands.ts'
import {
  DOCUMENT_GATED,
  LIMITED,
  LIMITED_PUSH,
  MIXED,
  MOVING,
  OPEN_ENDED,
  PULLED,
  PUSHED,
  RATED,
} from '../../../src/testing/conformance/protocols.ts'
import { changeSlots, claimKey, take } from '../../../src/testing/conformance/raw-decisions.ts'
import { advance, claim, takeDirectives } from '../../../src/testing/conformance/work.ts'
import type { VirtualWorld } from '../../../src/testing/virtual-world.ts'

interface Stage {
  readonly store: Store
  readonly world: VirtualWorld
}

export interface Scene {
  /** What is there before. */
  readonly before?: (stage: Stage) => Promise<unknown>
  /** What is cut off. */
  readonly act: (stage: Stage) => Promise<unknown>
}

async function run<C extends Command>({ store }: Stage, command: C) {
  const outcome = await store.transact([keyOf(command)], (given) => decide(command, given))
  if (!outcome.ok) throw new Error(`${command.type} was refused: ${outcome.refusal.message}`)
  return outcome.answer
}

const step = async (stage: Stage, id: string, index = 0) => {
  const job = await stage.store.load({ kind: 'job', tenant_id: TENANT, id })
  const found = job?.steps[index]
  if (found === undefined) throw new Error(`job ${id} has no step ${index}`)
  return found
}

async function claimed(stage: Stage, id: string): Promise<void> {
  await run(stage, onJob('claimStep', id))
}

async function sent(stage: Stage, id: string): Promise<void> {
  const row = await run(stage, onJob('takeOutbox', id))
  await run(stage, recordSent(id, row.outbox_id))
}

async function openRow({ store }: Stage, id: string): Promise<string> {
  const job = await store.load({ kind: 'job', tenant_id: TENANT, id })
  return job?.outbox[0]?.outbox_id ?? ''
}

const ONE = { ...PULLED, steps: PULLED.steps.slice(0, 1) }
const RUNG = {
  protocol: { ...PULLED, request_type: 'OTHER' },
  payload: { by: 'other' },
  priority: 1,
} as const

export const SCENES: { readonly [name: string]: Scene } = {
  'a submit to be pulled': { act: (stage) => run(stage, submitJob('j')) },
  'a submit of a tenant that is known': {
    before: (stage) => run(stage, submitJob('other')),
    act: (stage) => run(stage, submitJob('j')),
  },
  'a submit to be pushed': { act: (stage) => run(stage, submitJob('j', { protocol: PUSHED })) },
  'a submit for a document with a key of its own': {
    act: (stage) => run(stage, submitJob('j', { doc_id: 'd', doc_key: 'isbn:1', idempotency_key: 'k' })),
  },
  'a submit with a run and a workstream': {
    act: (stage) => run(stage, submitJob('j', { run_id: 'r', workstream_id: 'w' })),
  },
  'a submit into a run that is there': {
    before: (stage) => run(stage, createGroup('run', 'r')),
    act: (stage) => run(stage, submitJob('j', { run_id: 'r' })),
  },
  'a submit that depends on another': {
    before: (stage) => run(stage, submitJob('first')),
    act: (stage) => run(stage, submitJob('j', { depends_on: ['first'] })),
  },
  'the same request once more': {
    before: (stage) => run(stage, submitJob('j', { idempotency_key: 'k' })),
    act: (stage) => run(stage, submitJob('again', { idempotency_key: 'k' })),
  },
  'a claim': {
    before: (stage) => run(stage, submitJob('j')),
    act: ({ store }) => claim(store, { queues: ['read'] }),
  },
  'a claim under a limit': {
    before: (stage) => run(stage, submitJob('j', { protocol: LIMITED })),
    act: ({ store }) => claim(store, { queues: ['read'] }),
  },
  'a claim under a rate': {
    before: (stage) => run(stage, submitJob('j', { protocol: RATED })),
    act: ({ store }) => claim(store, { queues: ['read'] }),
  },
  'a claim from a queue with a limit': {
    before: async (stage) => {
      await run(stage, steerQueue('read', { concurrency: 1 }))
      await run(stage, submitJob('j'))
    },
    act: ({ store }) => claim(store, { queues: ['read'] }),
  },
  'a claim that takes a document along': {
    before: (stage) => run(stage, submitJob('j', { protocol: MOVING, doc_id: 'd' })),
    act: ({ store }) => claim(store, { queues: ['read'] }),
  },
  'a take': {
    before: (stage) => run(stage, submitJob('j', { protocol: PUSHED })),
    act: ({ store }) => takeDirectives(store, { queues: ['push:ocr'] }),
  },
  'a take under two limits': {
    before: (stage) => run(stage, submitJob('j', { protocol: LIMITED_PUSH })),
    act: ({ store }) => takeDirectives(store, { queues: ['push:send'] }),
  },
  SENT: {
    before: async (stage) => {
      await run(stage, submitJob('j', { protocol: PUSHED }))
      await run(stage, onJob('takeOutbox', 'j'))
    },
    act: async (stage) => run(stage, recordSent('j', await openRow(stage, 'j'))),
  },
  'a publish that failed': {
    before: async (stage) => {
      await run(stage, submitJob('j', { protocol: PUSHED }))
      await run(stage, onJob('takeOutbox', 'j'))
    },
    act: async (stage) => run(stage, recordPublishFailure('j', await openRow(stage, 'j'))),
  },
  'an ACK': {
    before: async (stage) => {
      await run(stage, submitJob('j', { protocol: PUSHED }))
      await sent(stage, 'j')
    },
    act: async (stage) => run(stage, ack(await step(stage, 'j'))),
  },
  'an ACK before SENT': {
    before: (stage) => run(stage, submitJob('j', { protocol: PUSHED })),
    act: async (stage) => run(stage, ack(await step(stage, 'j'))),
  },
  'a heartbeat': {
    before: async (stage) => {
      await run(stage, submitJob('j'))
      await claimed(stage, 'j')
      await stage.world.advanceBy(SECOND_MS)
    },
    act: async (stage) => run(stage, heartbeat(await step(stage, 'j'))),
  },
  'a success with a step to follow': {
    before: async (stage) => {
      await run(stage, submitJob('j', { protocol: PUSHED }))
      await sent(stage, 'j')
    },
    act: async (stage) => run(stage, report(await step(stage, 'j'), SUCCESS)),
  },
  'the last success': {
    before: async (stage) => {
      await run(stage, submitJob('j', { protocol: ONE }))
      await claimed(stage, 'j')
    },
    act: async (stage) => run(stage, report(await step(stage, 'j'), SUCCESS)),
  },
  'a success that others wait for': {
    before: async (stage) => {
      await run(stage, submitJob('j', { protocol: ONE }))
      for (const id of ['a', 'b']) await run(stage, submitJob(id, { depends_on: ['j'] }))
      await claimed(stage, 'j')
    },
    act: async (stage) => run(stage, report(await step(stage, 'j'), SUCCESS)),
  },
  'a success that takes a document along': {
    before: async (stage) => {
      await run(stage, submitJob('j', { protocol: MOVING, doc_id: 'd' }))
      await claimed(stage, 'j')
    },
    act: async (stage) => run(stage, report(await step(stage, 'j'), SUCCESS)),
  },
  'a failure to be tried again': {
    before: async (stage) => {
      await run(stage, submitJob('j'))
      await claimed(stage, 'j')
    },
    act: async (stage) => run(stage, report(await step(stage, 'j'), failure('RETRYABLE'))),
  },
  'a failure that somebody else takes over': {
    before: async (stage) => {
      await run(stage, submitJob('j', { rungs: [RUNG], inFlightLimit: 1, run_id: 'r' }))
      await claimed(stage, 'j')
    },
    act: async (stage) => run(stage, report(await step(stage, 'j'), failure('NON_RETRYABLE'))),
  },
  'an attempt that is given back': {
    before: async (stage) => {
      await run(stage, submitJob('j', { protocol: LIMITED }))
      await claimed(stage, 'j')
    },
    act: async (stage) => run(stage, giveBack(await step(stage, 'j'))),
  },
  'the cancelling of a job that waits for another': {
    before: async (stage) => {
      await run(stage, submitJob('first'))
      await run(stage, submitJob('j', { depends_on: ['first'] }))
      await run(stage, submitJob('last', { depends_on: ['j'] }))
    },
    act: (stage) => run(stage, onJob('cancelJob', 'j')),
  },
  'the cancelling of a job with a directive': {
    before: (stage) => run(stage, submitJob('j', { protocol: PUSHED })),
    act: (stage) => run(stage, onJob('cancelJob', 'j')),
  },
  'a job that is run again': {
    before: async (stage) => {
      await run(stage, submitJob('j'))
      await run(stage, onJob('cancelJob', 'j'))
    },
    act: (stage) => run(stage, runAgain('j', 'k')),
  },
  'a lease that has run out': {
    before: async (stage) => {
      await run(stage, submitJob('j', { protocol: LIMITED }))
      await claimed(stage, 'j')
      await stage.world.advanceBy(HOUR_MS)
    },
    act: ({ store }) => store.sweep({ what: 'due', limit: 10 }, advance),
  },
  'the time of a delayed job': {
    before: async (stage) => {
      const run_at = toIso(stage.world.clock.now() + MINUTE_MS)
      await run(stage, submitJob('j', { protocol: MIXED, run_at }))
      await stage.world.advanceBy(MINUTE_MS)
    },
    act: ({ store }) => store.sweep({ what: 'due', limit: 10 }, advance),
  },
  'a signal to several': {
    before: async (stage) => {
      await run(stage, submitJob('first'))
      for (const id of ['a', 'b', 'c']) await run(stage, submitJob(id, { depends_on: ['first'] }))
      await run(stage, onJob('cancelJob', 'first'))
    },
    act: ({ store }) => store.sweep({ what: 'signalled', limit: 10 }, advance),
  },
  'a document that moves': {
    before: (stage) => run(stage, moveDocument('d', 'fetching')),
    act: (stage) => run(stage, moveDocument('d', 'fetched')),
  },
  'a document that moves, once for its key': {
    act: (stage) => run(stage, moveDocument('d', 'fetching', { request_key: 'k' })),
  },
  'a document that a gate waits for': {
    before: async (stage) => {
      for (const state of ['fetching', 'fetched', 'parsing'] as const)
        await run(stage, moveDocument('d', state))
      await run(stage, submitJob('j', { protocol: DOCUMENT_GATED, doc_id: 'd' }))
      await stage.store.sweep({ what: 'due', limit: 10 }, advance)
    },
    act: (stage) => run(stage, moveDocument('d', 'parsed')),
  },
  'a job that comes to a gate': {
    before: (stage) => run(stage, moveDocument('d', 'fetching')),
    act: (stage) => run(stage, submitJob('j', { protocol: DOCUMENT_GATED, doc_id: 'd' })),
  },
  'a refusal': {
    before: (stage) => run(stage, moveDocument('d', 'fetching')),
    act: ({ store }) => {
      const command = moveDocument('d', 'completed')
      return store.transact([keyOf(command)], (given) => decide(command, given))
    },
  },
  'a late ACK': {
    before: async (stage) => {
      await run(stage, submitJob('j'))
      await claimed(stage, 'j')
    },
    act: async (stage) => run(stage, ack(await step(stage, 'j'))),
  },
  'a note': {
    before: (stage) => run(stage, submitJob('j')),
    act: (stage) => run(stage, annotate('j', { pages: 3 })),
  },
  'a job that is let past its limits': {
    before: (stage) => run(stage, submitJob('j', { protocol: LIMITED })),
    act: (stage) => run(stage, expedite('j', ['limits'])),
  },
  'a queue that is paused': { act: (stage) => run(stage, steerQueue('read', { state: 'paused' })) },
  'a token': { act: (stage) => run(stage, mintToken('t')) },
  'a run that is sealed': {
    before: (stage) => run(stage, submitJob('j', { run_id: 'r' })),
    act: (stage) => run(stage, sealGroup('run', 'r')),
  },
  'a schedule whose time has come': {
    before: async (stage) => {
      await run(stage, putSchedule('s'))
      await stage.world.advanceBy(HOUR_MS)
    },
    act: async (stage) => {
      const schedule = await stage.store.get({ kind: 'schedule', tenant_id: TENANT, id: 's' })
      return run(stage, fireSchedule(schedule as ScheduleRecord, 'j'))
    },
  },
  'stages that another scheduler reports': {
    before: async (stage) => {
      await run(stage, submitJob('j', { protocol: OPEN_ENDED }))
      await run(stage, reportStage('j', { what: 'prepared', pipeline_name: 'pdf', metadata: {} }))
    },
    act: (stage) => run(stage, reportStage('j', stageDone('chunk'))),
  },
  'a batch': {
    before: async (stage) => {
      await run(stage, moveDocument('d', 'fetching'))
      await run(stage, submitJob('old', { inFlightLimit: 2 }))
    },
    act: async ({ store }) => {
      const commands = [
        onJob('cancelJob', 'old'),
        submitJob('a', { inFlightLimit: 2 }),
        moveDocument('d', 'fetched'),
        submitJob('b', { depends_on: ['a'], inFlightLimit: 2, tenant_id: TENANT }),
        moveDocument('e', 'fetching', { tenant_id: 'Zeta' }),
      ]
      const outcome = await store.transact(commands.map(keyOf), (given) => decideBatch(commands, given))
      if (!outcome.ok) throw new Error(outcome.refusal.message)
    },
  },
  'a key by itself': { act: ({ store }) => store.transact([], claimKey('k', 'me')) },
  'keys of two tenants': {
    act: ({ store }) =>
      store.transact([], () =>
        change(null, {
          claims: [
            { tenant_id: 'a', key: 'k', owner: 'me' },
            { tenant_id: 'b', key: 'k', owner: 'me' },
          ],
        }),
      ),
  },
  'places under two limits by themselves': {
    act: ({ store }) =>
      store.transact(
        [],
        changeSlots(
          take({ key: 'line', max: 2, owner: 'me' }),
          take({ key: 'line', max: 2, owner: 'me', tenant_id: 'Zeta' }),
        ),
      ),
  },
}
