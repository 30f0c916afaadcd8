import { expect, it } from 'vitest'
import type { Json } from '../json.ts'
import type { Clause, Condition, Gate } from './gate.ts'
import type { Topology } from './topology.ts'
import type { ProblemCode } from './topology-problem.ts'
import { topologyProblems } from './topology-problems.ts'

const READY: Clause = { field: 'document.state', op: 'equals', value: 'ir_ready' }

function gated(gate: Partial<Gate>): Topology {
  return {
    name: 'pdf',
    version: 'v1',
    stages: [{ name: 'a' }, { name: 'b', gate: 'g' }, { name: 'c' }],
    gates: [{ name: 'g', when: READY, ...gate }],
  }
}

function clause(field: string, op: string, value?: Json): Topology {
  return gated({ when: { field, op, ...(value === undefined ? {} : { value }) } as Clause })
}

function nested(depth: number): Condition {
  return depth === 0 ? READY : { all: [nested(depth - 1)] }
}

interface Wrong {
  readonly what: string
  readonly topology: Topology
  readonly code: ProblemCode
  readonly path: string
  readonly says: string
  readonly stage?: string
}

const WRONG: readonly Wrong[] = [
  {
    what: 'a gate that resumes at no stage',
    topology: gated({ resume: 'd' }),
    code: 'UNKNOWN_RESUME',
    path: 'gates.0.resume',
    says: 'Gate g resumes at "d", and there is no such stage',
  },
  {
    what: 'a gate that goes back',
    topology: gated({ resume: 'a' }),
    code: 'RESUME_NOT_LATER',
    path: 'gates.0.resume',
    says: 'Gate g holds stage b and resumes at stage a, which comes before it',
    stage: 'b',
  },
  {
    what: 'a gate that waits for no time',
    topology: gated({ timeout_ms: 0 }),
    code: 'OUT_OF_RANGE',
    path: 'gates.0.timeout_ms',
    says: 'timeout_ms is 0; it must be a whole number from 1 to',
  },
  {
    what: 'a field of nobody',
    topology: clause('job.state', 'exists'),
    code: 'UNKNOWN_FIELD',
    path: 'gates.0.when.field',
    says: '"job.state" begins with none of entry, metadata, document',
  },
  {
    what: 'a field without a name',
    topology: clause('metadata', 'exists'),
    code: 'UNKNOWN_FIELD',
    path: 'gates.0.when.field',
    says: '"metadata" names no field: metadata.something does',
  },
  {
    what: 'a field with a hole in its name',
    topology: clause('metadata.a..b', 'exists'),
    code: 'UNKNOWN_FIELD',
    path: 'gates.0.when.field',
    says: 'names no field',
  },
  {
    what: 'a field behind an object',
    topology: clause('metadata.constructor.name', 'exists'),
    code: 'UNKNOWN_FIELD',
    path: 'gates.0.when.field',
    says: 'has constructor in it',
  },
  {
    what: 'a field with an endless name',
    topology: clause(`metadata.${'x'.repeat(200)}`, 'exists'),
    code: 'UNKNOWN_FIELD',
    path: 'gates.0.when.field',
    says: 'is longer than 200 characters',
  },
  {
    what: 'an operator that there is not',
    topology: clause('metadata.a', 'matches', 'x'),
    code: 'BAD_CONDITION',
    path: 'gates.0.when.value',
    says: '"matches" is none of equals, not_equals, exists, in, changed',
  },
  {
    what: 'equals nothing',
    topology: clause('metadata.a', 'equals'),
    code: 'BAD_CONDITION',
    path: 'gates.0.when.value',
    says: 'equals needs a value',
  },
  {
    what: 'not_equals nothing',
    topology: clause('metadata.a', 'not_equals'),
    code: 'BAD_CONDITION',
    path: 'gates.0.when.value',
    says: 'not_equals needs a value',
  },
  {
    what: 'in no list',
    topology: clause('metadata.a', 'in', 'a'),
    code: 'BAD_CONDITION',
    path: 'gates.0.when.value',
    says: 'in needs a list',
  },
  {
    what: 'in an empty list',
    topology: clause('metadata.a', 'in', []),
    code: 'BAD_CONDITION',
    path: 'gates.0.when.value',
    says: 'in needs a list',
  },
  {
    what: 'exists, perhaps',
    topology: clause('metadata.a', 'exists', 'yes'),
    code: 'BAD_CONDITION',
    path: 'gates.0.when.value',
    says: 'exists is true or false',
  },
  {
    what: 'not changed',
    topology: clause('metadata.a', 'changed', false),
    code: 'BAD_CONDITION',
    path: 'gates.0.when.value',
    says: 'changed is compared with nothing',
  },
  {
    what: 'a state that there is not',
    topology: clause('document.state', 'equals', 'ir_redy'),
    code: 'UNKNOWN_STATE',
    path: 'gates.0.when.value',
    says: '"ir_redy" is not a state of documents',
  },
  {
    what: 'a state that is no text',
    topology: clause('document.state', 'not_equals', 5),
    code: 'UNKNOWN_STATE',
    path: 'gates.0.when.value',
    says: '"5" is not a state of documents',
  },
  {
    what: 'an old name of a state',
    topology: clause('document.state', 'in', ['failed', 'pdf_ir_ready']),
    code: 'UNKNOWN_STATE',
    path: 'gates.0.when.value.1',
    says: '"pdf_ir_ready" is an old name: documents say "ir_ready"',
  },
  {
    what: 'all of nothing',
    topology: gated({ when: { any: [READY, { all: [] }] } }),
    code: 'EMPTY_CONDITION',
    path: 'gates.0.when.any.1.all',
    says: 'all of nothing is always true',
  },
  {
    what: 'any of nothing',
    topology: gated({ when: { any: [] } }),
    code: 'EMPTY_CONDITION',
    path: 'gates.0.when.any',
    says: 'any of nothing is never true',
  },
  {
    what: 'conditions nested too deeply',
    topology: gated({ when: { all: [READY, nested(8)] } }),
    code: 'TOO_DEEP',
    path: 'gates.0.when.all.1.all.0.all.0.all.0.all.0.all.0.all.0.all.0',
    says: 'nested deeper than 8 levels',
  },
  {
    what: 'too many clauses',
    topology: gated({ when: { all: Array.from({ length: 51 }, () => READY) } }),
    code: 'TOO_MANY',
    path: 'gates.0.when',
    says: 'Gate g has 51 clauses; 50 are the most',
  },
]

it.each(WRONG)('A55: $what: $code', ({ topology, code, path, says, stage }) => {
  const found = topologyProblems(topology)
  expect(found.map((one) => [one.code, one.path.join('.'), one.stage])).toEqual([[code, path, stage]])
  expect(found[0]?.message).toContain(says)
})

it('conditions may be nested, though not without end', () => {
  expect(topologyProblems(gated({ when: nested(8), resume: 'c' }))).toEqual([])
})
