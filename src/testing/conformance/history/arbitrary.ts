import type { Arbitrary } from 'fast-check'
import { statesOf } from '../../../core/machine.ts'
import { documentMachine } from '../../../core/machines/document.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'
import { type FastCheck, match, often, seldom, tenant } from './arbitrary-parts.ts'
import { staging } from './arbitrary-staging.ts'
import { steering } from './arbitrary-steering.ts'
import type {
  CallbackIntent,
  CommandIntent,
  Intent,
  JobIntent,
  PublishIntent,
  SubmitIntent,
  UpdateIntent,
  WorkIntent,
} from './intents.ts'

/** Few of everything, so that histories meet: the same ids, keys, requests and limits come up again and again. */
export function historyArbitrary(fc: FastCheck, steps: number): Arbitrary<Intent[]> {
  return fc.array(intent(fc), { minLength: 1, maxLength: steps, size: 'max' })
}

function intent(fc: FastCheck): Arbitrary<Intent> {
  return fc.oneof(
    { weight: 40, arbitrary: command(fc) },
    { weight: 3, arbitrary: batch(fc) },
    { weight: 4, arbitrary: fc.record({ what: fc.constant('finish'), job: fc.nat(5) }) },
    { weight: 10, arbitrary: work(fc) },
    { weight: 14, arbitrary: sweep(fc) },
    { weight: 10, arbitrary: time(fc) },
    { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('maintain', 'reopen') }) },
  )
}

function command(fc: FastCheck): Arbitrary<CommandIntent> {
  return fc.oneof(
    { weight: 8, arbitrary: update(fc) },
    { weight: 14, arbitrary: submit(fc) },
    { weight: 6, arbitrary: onJob(fc) },
    { weight: 8, arbitrary: callback(fc) },
    { weight: 4, arbitrary: publish(fc) },
    { weight: 10, arbitrary: fc.record({ what: fc.constant('drive'), job: fc.nat(5) }) },
    { weight: 6, arbitrary: steering(fc) },
    { weight: 10, arbitrary: staging(fc) },
  )
}

function batch(fc: FastCheck): Arbitrary<Intent> {
  const part = fc.oneof(
    update(fc),
    submit(fc),
    submit(fc),
    onJob(fc),
    callback(fc),
    steering(fc),
    staging(fc),
  )
  return fc.record({ what: fc.constant('batch'), parts: fc.array(part, { minLength: 1, maxLength: 4 }) })
}

function update(fc: FastCheck): Arbitrary<UpdateIntent> {
  return fc.record({
    what: fc.constant('update'),
    tenant: tenant(fc),
    doc: fc.nat(2),
    to: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(0, 0, 0, 1, 2) },
      { weight: 1, arbitrary: fc.constantFrom(...statesOf(documentMachine)) },
    ),
    match: match(fc),
    failed: seldom(fc),
    validate: often(fc),
  })
}

function submit(fc: FastCheck): Arbitrary<SubmitIntent> {
  return fc.record({
    what: fc.constant('submit'),
    tenant: tenant(fc),
    known: seldom(fc),
    protocol: fc.constantFrom(0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 5, 6, 7, 7, 8, 8, 9),
    request: fc.nat(40),
    key: fc.constantFrom(null, null, null, 'key-1', 'key-2'),
    strict: fc.boolean(),
    limit: fc.constantFrom(3, 100, 100),
    priority: fc.constantFrom(0, 1, 2, 3),
    dependsOn: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      {
        weight: 3,
        arbitrary: fc.array(fc.constantFrom(1, 1, 1, 2, 2, 2, 3, 3, 3, 0), { minLength: 1, maxLength: 2 }),
      },
    ),
    policy: fc.constantFrom('fail', 'skip', 'release'),
    delayMs: fc.constantFrom(null, null, null, -SECOND_MS, 5 * SECOND_MS, MINUTE_MS),
    expiresMs: fc.constantFrom(null, null, 30 * SECOND_MS, HOUR_MS),
    burst: seldom(fc),
    rungs: fc.constantFrom(0, 0, 1, 2),
    docKey: fc.constantFrom(null, null, null, null, null, 'isbn:1'),
    workstream: fc.constantFrom(null, null, 0, 1),
  })
}

function onJob(fc: FastCheck): Arbitrary<JobIntent> {
  return fc.record({
    what: fc.constantFrom('claimStep', 'claimStep', 'takeOutbox', 'takeOutbox', 'cancelJob', 'advanceJob'),
    job: fc.nat(5),
    stranger: seldom(fc),
    match: match(fc),
  })
}

function callback(fc: FastCheck): Arbitrary<CallbackIntent> {
  return fc.record({
    what: fc.constantFrom('ack', 'heartbeat', 'result', 'result', 'result', 'give back'),
    attempt: fc.constantFrom(0, 0, 0, 1, 2, 4),
    fence: fc.oneof(
      { weight: 8, arbitrary: fc.constant('right') },
      { weight: 1, arbitrary: fc.constantFrom('wrong lease', 'wrong attempt', 'wrong step') },
    ),
    result: fc.constantFrom('success', 'success', 'success', 'retryable', 'final', 'final'),
    more: fc.boolean(),
  })
}

function publish(fc: FastCheck): Arbitrary<PublishIntent> {
  return fc.record({
    what: fc.constantFrom('sent', 'sent', 'publish failed'),
    row: fc.constantFrom(0, 0, 1, 3),
  })
}

function work(fc: FastCheck): Arbitrary<WorkIntent> {
  return fc.record({
    what: fc.constantFrom('claim', 'take'),
    limit: fc.integer({ min: 1, max: 3 }),
  })
}

function sweep(fc: FastCheck): Arbitrary<Intent> {
  return fc.record({
    what: fc.constantFrom('due', 'signalled'),
    limit: fc.constantFrom(1, 2, 100),
  })
}

function time(fc: FastCheck): Arbitrary<Intent> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ what: fc.constant('pass to due'), early: fc.boolean() }) },
    {
      weight: 4,
      arbitrary: fc.record({
        what: fc.constant('pass'),
        ms: fc.constantFrom(1, SECOND_MS, 31 * SECOND_MS, MINUTE_MS, HOUR_MS),
      }),
    },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('turn back'), ms: fc.constant(5 * SECOND_MS) }) },
  )
}
