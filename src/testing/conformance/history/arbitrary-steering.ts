import type { Arbitrary } from 'fast-check'
import type { Obstacle } from '../../../core/job/commands.ts'
import { MINUTE_MS } from '../../../core/time.ts'
import { type FastCheck, match, seldom, tenant } from './arbitrary-parts.ts'
import type {
  AgainIntent,
  CommandIntent,
  ExpediteIntent,
  FireIntent,
  ScheduleIntent,
  SteerIntent,
  TokenIntent,
} from './intents.ts'

/** What operators and calendars do. Queues are mostly left running, or histories would get nowhere. */
export function steering(fc: FastCheck): Arbitrary<CommandIntent> {
  return fc.oneof(
    { weight: 3, arbitrary: steer(fc) },
    { weight: 2, arbitrary: schedule(fc) },
    { weight: 2, arbitrary: fire(fc) },
    { weight: 1, arbitrary: token(fc) },
    { weight: 2, arbitrary: expedite(fc) },
    { weight: 2, arbitrary: again(fc) },
  )
}

function steer(fc: FastCheck): Arbitrary<SteerIntent> {
  return fc.record({
    what: fc.constant('steer'),
    queue: fc.constantFrom('read', 'read', 'send', 'ocr'),
    set: fc.constantFrom<SteerIntent['set'][]>(
      { state: 'running' },
      { state: 'running' },
      { state: 'paused' },
      { concurrency: 1, state: 'running' },
      { concurrency: 2 },
      { concurrency: null },
      { rate: { max: 1, per_ms: MINUTE_MS } },
      { rate: null, state: 'running' },
      {},
    ),
    match: match(fc),
  })
}

function schedule(fc: FastCheck): Arbitrary<ScheduleIntent> {
  return fc.record({
    what: fc.constant('schedule'),
    tenant: tenant(fc),
    to: fc.constantFrom('put', 'put', 'put', 'active', 'paused', 'removed'),
    overlap: fc.constantFrom('allow', 'skip'),
    catchUp: fc.constantFrom('one', 'none', 'all'),
    match: match(fc),
  })
}

function fire(fc: FastCheck): Arbitrary<FireIntent> {
  return fc.record({
    what: fc.constant('fire'),
    tenant: tenant(fc),
    late: seldom(fc),
    limit: fc.constantFrom(3, 100, 100),
  })
}

function token(fc: FastCheck): Arbitrary<TokenIntent> {
  return fc.record({
    what: fc.constant('token'),
    id: fc.constantFrom('token-1', 'token-2'),
    to: fc.constantFrom('mint', 'revoke'),
    match: match(fc),
  })
}

function expedite(fc: FastCheck): Arbitrary<ExpediteIntent> {
  return fc.record({
    what: fc.constant('expedite'),
    job: fc.nat(5),
    ignore: fc.subarray<Obstacle>(['dependencies', 'limits', 'attempt', 'gate']),
    priority: fc.constantFrom(null, null, 0, 3),
  })
}

function again(fc: FastCheck): Arbitrary<AgainIntent> {
  return fc.record({
    what: fc.constant('again'),
    job: fc.nat(5),
    from: fc.constantFrom(null, 0, 1, 2),
    key: fc.constantFrom(null, null, 'again-1'),
    limit: fc.constantFrom(3, 100, 100),
  })
}
