import type { Arbitrary } from 'fast-check'
import { type FastCheck, match, seldom, tenant } from './arbitrary-parts.ts'
import type { AnnotateIntent, CommandIntent, GroupIntent, StageIntent } from './intents.ts'

/** What is said of jobs and of the groups they are in, beside how their steps go. */
export function staging(fc: FastCheck): Arbitrary<CommandIntent> {
  return fc.oneof(
    { weight: 3, arbitrary: annotate(fc) },
    { weight: 5, arbitrary: stage(fc) },
    { weight: 3, arbitrary: group(fc) },
  )
}

function annotate(fc: FastCheck): Arbitrary<AnnotateIntent> {
  return fc.record({
    what: fc.constant('annotate'),
    job: fc.nat(5),
    go: fc.constantFrom(true, true, false, null),
    event: fc.boolean(),
    match: match(fc),
  })
}

function stage(fc: FastCheck): Arbitrary<StageIntent> {
  return fc.record({
    what: fc.constant('stage'),
    job: fc.nat(5),
    says: fc.constantFrom<StageIntent['says'][]>(
      'prepared',
      'attempted',
      'started',
      'started',
      'retried',
      'succeeded',
      'succeeded',
      'succeeded',
      'failed',
      'completed',
    ),
    stage: fc.nat(3),
  })
}

/** Seldom sealed, or histories would soon have nowhere to go. */
function group(fc: FastCheck): Arbitrary<GroupIntent> {
  return fc.record({
    what: fc.constant('group'),
    tenant: tenant(fc),
    kind: fc.constantFrom('run', 'workstream'),
    id: fc.constantFrom(0, 0, 1, 2),
    to: fc.constantFrom<GroupIntent['to'][]>(
      'create',
      'create',
      'follow',
      'follow',
      'follow',
      'event',
      'metadata',
      'move',
      'seal',
    ),
    facts: fc.record({
      open: fc.boolean(),
      started: fc.boolean(),
      ready: fc.boolean(),
      failed: seldom(fc),
      sealed: seldom(fc),
    }),
    match: match(fc),
  })
}
