import { describe, expect, it } from 'vitest'
import type { Clause, Condition } from './gate.ts'
import { DEFAULT_RESILIENCE } from './policy.ts'
import type { StageDocument } from './stage-document.ts'
import type { Topology, TopologyStage } from './topology.ts'
import { type ProblemCode, quoted } from './topology-problem.ts'
import { topologyProblems } from './topology-problems.ts'

const READY: Clause = { field: 'document.state', op: 'equals', value: 'ir_ready' }

function topologyOf(stages: readonly TopologyStage[], more: Partial<Topology> = {}): Topology {
  return { name: 'pdf', version: 'v1', stages, ...more }
}

function documents(document: StageDocument | { [move: string]: string }): Topology {
  return topologyOf([{ name: 'a', document: document as StageDocument }])
}

const many = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `s${i}` }))

interface Wrong {
  readonly what: string
  readonly topology: Topology
  readonly code: ProblemCode
  readonly path: string
  readonly says: string
  readonly stage?: string
}

const CYCLE: readonly TopologyStage[] = [
  { name: 'x' },
  { name: 'a', depends_on: ['x', 'b'] },
  { name: 'b', depends_on: ['c'] },
  { name: 'c', depends_on: ['a'] },
]

const PHASED: Partial<Topology> = { phases: ['one', 'two'] }

const WRONG: readonly Wrong[] = [
  {
    what: 'a circle',
    topology: topologyOf(CYCLE),
    code: 'CYCLE',
    path: 'stages.1.depends_on.1',
    says: 'Stages wait for each other: a → b → c → a',
    stage: 'a',
  },
  {
    what: 'a stage that waits for itself',
    topology: topologyOf([{ name: 'a', depends_on: ['a'] }]),
    code: 'CYCLE',
    path: 'stages.0.depends_on.0',
    says: 'Stage a waits for itself: a → a',
    stage: 'a',
  },
  {
    what: 'an unknown dependency',
    topology: topologyOf([{ name: 'a' }, { name: 'b', depends_on: ['a', 'dowload'] }]),
    code: 'UNKNOWN_DEPENDENCY',
    path: 'stages.1.depends_on.1',
    says: 'Stage b depends on "dowload", and there is no such stage',
    stage: 'b',
  },
  {
    what: 'a dependency given twice',
    topology: topologyOf([{ name: 'a' }, { name: 'b', depends_on: ['a', 'a'] }]),
    code: 'DUPLICATE_DEPENDENCY',
    path: 'stages.1.depends_on.1',
    says: 'Stage b depends on a twice',
    stage: 'b',
  },
  {
    what: 'a stage that is there twice',
    topology: topologyOf([{ name: 'a' }, { name: 'b' }, { name: 'a' }]),
    code: 'DUPLICATE_STAGE',
    path: 'stages.2.name',
    says: 'Stage "a" is there twice',
    stage: 'a',
  },
  {
    what: 'a dependency on a later phase',
    topology: topologyOf(
      [
        { name: 'a', phase: 'one', depends_on: ['b'] },
        { name: 'b', phase: 'two' },
      ],
      PHASED,
    ),
    code: 'LATER_PHASE',
    path: 'stages.0.depends_on.0',
    says: 'Stage a of phase one depends on stage b of phase two, which comes later',
    stage: 'a',
  },
  {
    what: 'a dependency on a later phase, by the order in which stages name them',
    topology: topologyOf([
      { name: 'a', phase: 'one', depends_on: ['b'] },
      { name: 'b', phase: 'two' },
    ]),
    code: 'LATER_PHASE',
    path: 'stages.0.depends_on.0',
    says: 'which comes later',
    stage: 'a',
  },
  {
    what: 'an unknown phase',
    topology: topologyOf([{ name: 'a', phase: 'three' }], PHASED),
    code: 'UNKNOWN_PHASE',
    path: 'stages.0.phase',
    says: 'Stage a is in phase "three", which is not one of the phases',
    stage: 'a',
  },
  {
    what: 'a stage in no phase',
    topology: topologyOf([{ name: 'a', phase: 'one' }, { name: 'b' }]),
    code: 'MISSING_PHASE',
    path: 'stages.1',
    says: 'Stage b is in no phase, though there are phases: one',
    stage: 'b',
  },
  {
    what: 'a phase that is there twice',
    topology: topologyOf([{ name: 'a', phase: 'one' }], { phases: ['one', 'one'] }),
    code: 'DUPLICATE_PHASE',
    path: 'phases.1',
    says: 'Phase one is there twice',
  },
  {
    what: 'a gate that no stage has',
    topology: topologyOf([{ name: 'a' }], { gates: [{ name: 'g', when: READY }] }),
    code: 'UNUSED_GATE',
    path: 'gates.0',
    says: 'No stage has the gate g',
  },
  {
    what: 'a gate that is there twice',
    topology: topologyOf([{ name: 'a', gate: 'g' }], {
      gates: [
        { name: 'g', when: READY },
        { name: 'g', when: READY },
      ],
    }),
    code: 'DUPLICATE_GATE',
    path: 'gates.1.name',
    says: 'Gate g is there twice',
  },
  {
    what: 'an unknown gate',
    topology: topologyOf([{ name: 'a', gate: 'h' }]),
    code: 'UNKNOWN_GATE',
    path: 'stages.0.gate',
    says: 'Stage a has the gate "h", and there is no such gate',
    stage: 'a',
  },
  {
    what: 'an unknown policy',
    topology: topologyOf([{ name: 'a', policy: 'toString' }]),
    code: 'UNKNOWN_POLICY',
    path: 'stages.0.policy',
    says: 'Stage a has the policy "toString", and there is no such policy',
    stage: 'a',
  },
  {
    what: 'no stages',
    topology: topologyOf([]),
    code: 'NO_STAGES',
    path: 'stages',
    says: 'There is no stage',
  },
  {
    what: 'too many stages',
    topology: topologyOf(many(101)),
    code: 'TOO_MANY',
    path: 'stages',
    says: 'There are 101 stages; 100 are the most',
  },
  {
    what: 'too many policies',
    topology: topologyOf([{ name: 'a' }], {
      policies: Object.fromEntries(many(101).map(({ name }) => [name, DEFAULT_RESILIENCE])),
    }),
    code: 'TOO_MANY',
    path: 'policies',
    says: 'There are 101 policies; 100 are the most',
  },
  {
    what: 'a policy that never tries',
    topology: topologyOf([{ name: 'a' }], { policies: { p: { ...DEFAULT_RESILIENCE, max_attempts: 0 } } }),
    code: 'OUT_OF_RANGE',
    path: 'policies.p.max_attempts',
    says: 'max_attempts is 0',
  },
  {
    what: 'a policy with a name of no use',
    topology: topologyOf([{ name: 'a' }], { policies: { 'a b': DEFAULT_RESILIENCE } }),
    code: 'BAD_NAME',
    path: 'policies.a b',
    says: 'The name of a policy is "a b"; it must be a letter or digit, then',
  },
  {
    what: 'a name with a slash',
    topology: { ...topologyOf([{ name: 'a' }]), name: 'a/b' },
    code: 'BAD_NAME',
    path: 'name',
    says: 'The name is "a/b"',
  },
  {
    what: 'no version',
    topology: { ...topologyOf([{ name: 'a' }]), version: '' },
    code: 'BAD_NAME',
    path: 'version',
    says: 'The version is ""',
  },
  {
    what: 'a stage with a name that reaches behind objects',
    topology: topologyOf([{ name: 'constructor' }]),
    code: 'BAD_NAME',
    path: 'stages.0.name',
    says: 'The name of a stage must not be constructor',
    stage: 'constructor',
  },
  {
    what: 'a stage with an endless name',
    topology: topologyOf([{ name: 'x'.repeat(101) }]),
    code: 'BAD_NAME',
    path: 'stages.0.name',
    says: 'at most 100',
    stage: 'x'.repeat(101),
  },
  {
    what: 'a phase with braces',
    topology: topologyOf([{ name: 'a', phase: '{x}' }], { phases: ['{x}'] }),
    code: 'BAD_NAME',
    path: 'phases.0',
    says: 'The name of a phase is "{x}"',
  },
  {
    what: 'a gate with a blank name',
    topology: topologyOf([{ name: 'a', gate: ' ' }], { gates: [{ name: ' ', when: READY }] }),
    code: 'BAD_NAME',
    path: 'gates.0.name',
    says: 'The name of a gate is " "',
  },
  {
    what: 'a blank queue',
    topology: topologyOf([{ name: 'a', queue: ' ' }]),
    code: 'BAD_NAME',
    path: 'stages.0.queue',
    says: 'queue must not be blank',
    stage: 'a',
  },
  {
    what: 'a service with a control character',
    topology: topologyOf([{ name: 'a', service: 'a\n' }]),
    code: 'BAD_NAME',
    path: 'stages.0.service',
    says: 'service must not have control characters',
    stage: 'a',
  },
  {
    what: 'no places',
    topology: topologyOf([{ name: 'a', concurrency: 0 }]),
    code: 'OUT_OF_RANGE',
    path: 'stages.0.concurrency',
    says: 'concurrency is 0',
    stage: 'a',
  },
  {
    what: 'a document in a state that there is not',
    topology: documents({ enters: 'fetching', leaves: 'done' }),
    code: 'UNKNOWN_STATE',
    path: 'stages.0.document.leaves',
    says: '"done" is not a state of documents',
    stage: 'a',
  },
  {
    what: 'a document that jumps',
    topology: documents({ enters: 'fetching', leaves: 'parsed', fails: 'failed' }),
    code: 'ILLEGAL_EDGE',
    path: 'stages.0.document.leaves',
    says: 'A document does not go from fetching to parsed; it goes to fetched, failed, retrying',
    stage: 'a',
  },
  {
    what: 'a document that cannot fail so',
    topology: documents({ enters: 'completed', fails: 'failed' }),
    code: 'ILLEGAL_EDGE',
    path: 'stages.0.document.fails',
    says: 'it goes to no other state',
    stage: 'a',
  },
]

describe('A55: a topology that cannot be run', () => {
  it.each(WRONG)('$what: $code', ({ topology, code, path, says, stage }) => {
    const found = topologyProblems(topology)
    expect(found.map((one) => [one.code, one.path.join('.'), one.stage])).toEqual([[code, path, stage]])
    expect(found[0]?.message).toContain(says)
  })

  it('is told of all its problems at once', () => {
    const topology = topologyOf(
      [
        { name: 'a', depends_on: ['b'], gate: 'x' },
        { name: 'b', depends_on: ['a', 'z'], policy: 'none' },
        { name: 'b', phase: 'three' },
      ],
      { gates: [{ name: 'g', when: { all: [] }, resume: 'a' }], version: '' },
    )
    expect(topologyProblems(topology).map(({ code }) => code)).toEqual([
      'BAD_NAME',
      'EMPTY_CONDITION',
      'MISSING_PHASE',
      'UNKNOWN_GATE',
      'MISSING_PHASE',
      'UNKNOWN_DEPENDENCY',
      'UNKNOWN_POLICY',
      'DUPLICATE_STAGE',
      'CYCLE',
      'UNUSED_GATE',
    ])
  })

  it('is told of every circle', () => {
    const found = topologyProblems(
      topologyOf([
        { name: 'a', depends_on: ['b', 'c'] },
        { name: 'b', depends_on: ['a'] },
        { name: 'c', depends_on: ['a'] },
        { name: 'd', depends_on: ['e'] },
        { name: 'e', depends_on: ['d'] },
      ]),
    )
    expect(found.map(({ message }) => message.split(': ')[1])).toEqual([
      'a → b → a',
      'a → c → a',
      'd → e → d',
    ])
  })

  it('says what the names are that there would have been', () => {
    const found = topologyProblems(
      topologyOf([{ name: 'a' }, { name: 'b', depends_on: ['x'], policy: 'y', gate: 'z' }], {
        policies: { default: DEFAULT_RESILIENCE, mine: DEFAULT_RESILIENCE },
      }),
    )
    expect(found.map(({ meant }) => meant)).toEqual([
      { named: 'x', known: ['a'] },
      { named: 'z', known: [] },
      { named: 'y', known: ['default', 'mine', 'gpu-bound', 'polite-api'] },
    ])
  })
})

it('a topology that can be run has no problems', () => {
  const when: Condition = {
    any: [
      READY,
      { field: 'document.state', op: 'in', value: ['indexed', 'completed'] },
      { field: 'metadata.a.b', op: 'exists', value: false },
      { field: 'metadata.x', op: 'changed', value: true },
      { field: 'entry.stage', op: 'changed' },
      { field: 'metadata.y', op: 'in', value: [null] },
    ],
  }
  const good: Topology = {
    name: 'pdf-two.phase_2',
    version: '2.0',
    phases: ['one', 'two', 'unused'],
    policies: { slow: DEFAULT_RESILIENCE },
    gates: [
      { name: 'g', when, timeout_ms: 1000, resume: 'd' },
      { name: 'h', when: READY, resume: 'd' },
    ],
    stages: [
      { name: 'd', phase: 'two', depends_on: ['b'], gate: 'h', policy: 'gpu-bound' },
      { name: 'b', phase: 'one', depends_on: ['a'], gate: 'g', policy: 'slow', document: {} },
      { name: 'a', phase: 'one', document: { enters: 'fetching', leaves: 'fetched', fails: 'failed' } },
      { name: 'c', phase: 'two', document: { leaves: 'completed' }, queue: 'my queue', service: 'x/y' },
    ],
  }
  expect(topologyProblems(good)).toEqual([])
  expect(topologyProblems(topologyOf(many(100)))).toEqual([])
})

it('shows values in one line, cut where they are long, whatever they are', () => {
  expect(quoted('a\nb')).toBe('"a\\nb"')
  expect(quoted('x'.repeat(1000))).toHaveLength(80)
  expect(quoted(undefined)).toBe('a undefined')
  expect(quoted(() => 1)).toBe('a function')
})
