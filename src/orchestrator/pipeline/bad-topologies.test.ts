import { expect, it } from 'vitest'
import { InvalidTopology } from '../../errors/topology-errors.ts'
import { topologyFrom } from './read-topology.ts'
import { parseTopology } from './topology-file.ts'
import { yamlSource } from './yaml-source.ts'

// Each is a file with one mistake. `<` at the end of a line marks where it is to be found: `CODE stage`, with - for none.

const HEAD = 'name: pdf\nversion: v1\n'
const STAGES = 'stages:\n  - name: a\n  - name: b\n    depends_on: [a]\n'

/** A policy that the stages do not use. */
const policy = (lines: string) => `${HEAD}policies:\n  p:\n${indented(lines, 4)}${STAGES}`

/** A gate on stage b, with these lines beside its name. */
const gate = (lines: string) =>
  `${HEAD}gates:\n  - name: g\n${indented(lines, 4)}${STAGES}    gate: g\n  - name: c\n`

/** One clause of a gate. */
const clause = (line: string) =>
  gate(`when:\n  all:\n    - { field: metadata.ok, exists: true }\n    - ${line}`)

/** A stage after two others. */
const stage = (lines: string) => `${HEAD}${STAGES}  - name: c\n${indented(lines, 4)}`

function indented(lines: string, by: number): string {
  return lines
    .split('\n')
    .map((line) => `${' '.repeat(by)}${line}\n`)
    .join('')
}

const deep = (levels: number) =>
  `${'{all: ['.repeat(levels)}{field: metadata.x, exists: true}${']}'.repeat(levels)}`

const BAD: readonly (readonly [what: string, yaml: string])[] = [
  // The text.
  ['a list that does not end', `${HEAD}stages: [a, b   <YAML_SYNTAX -`],
  ['a tab', `${HEAD}stages:\n\t- name: a   <YAML_SYNTAX -`],
  ['a tag of nobody', `${HEAD}stages:\n  - name: !mine a   <YAML_SYNTAX -`],
  ['a tag for bytes', `${HEAD}stages:\n  - name: !!binary aGk=   <YAML_SYNTAX -`],
  ['another version of YAML', '%YAML 1.1   <YAML_SYNTAX -\n---\nname: pdf'],
  ['two documents', `${HEAD}${STAGES}---   <YAML_SYNTAX -\n${HEAD}`],
  ['an alias of nothing', `${HEAD}${STAGES}  - *x   <YAML_SYNTAX -`],
  ['an alias of what it is in', `${HEAD}stages: &all\n  - name: a\n  - *all   <YAML_SYNTAX -`],
  ['a key that is a list', `${HEAD}${STAGES}? [x]   <WRONG_TYPE -\n: y`],
  ['a key without a name', `${HEAD}${STAGES}: y   <UNKNOWN_KEY -`],
  ['a key that is there twice', `${HEAD}name: other   <DUPLICATE_KEY -\n${STAGES}`],
  ['a key of a stage that is there twice', stage('queue: x\nqueue: y   <DUPLICATE_KEY c')],
  ['nesting without end', `${HEAD}x: ${'['.repeat(60)}${']'.repeat(60)}   <TOO_DEEP -`],
  // Its shape.
  ['nothing', '# nothing   <WRONG_TYPE -'],
  ['a list', '- name: a   <WRONG_TYPE -'],
  ['text', 'pdf   <WRONG_TYPE -'],
  ['no name', `version: v1   <MISSING_KEY -\n${STAGES}`],
  ['no version', `name: pdf   <MISSING_KEY -\n${STAGES}`],
  ['no stages', 'name: pdf   <MISSING_KEY -\nversion: v1'],
  ['a version that is a number', `name: pdf\nversion: 2   <WRONG_TYPE -\n${STAGES}`],
  ['a name that is empty', `name:   <WRONG_TYPE -\nversion: v1\n${STAGES}`],
  ['an unknown key', `${HEAD}stagse: []   <UNKNOWN_KEY -\n${STAGES}`],
  ['a key that reaches behind objects', `${HEAD}__proto__: {}   <FORBIDDEN_KEY -\n${STAGES}`],
  ['stages that are a map', `${HEAD}stages:\n  a: {}   <WRONG_TYPE -`],
  ['no stage in the list', `${HEAD}stages: []   <NO_STAGES -`],
  ['a stage that is text', `${HEAD}${STAGES}  - c   <WRONG_TYPE -`],
  ['a stage that is nothing', `${HEAD}${STAGES}  -   <WRONG_TYPE -`],
  ['a stage without a name', `${HEAD}${STAGES}  - queue: x   <MISSING_KEY -`],
  ['a stage with a name that is true', `${HEAD}${STAGES}  - name: true   <WRONG_TYPE -`],
  ['a stage with an unknown key', stage('polcy: default   <UNKNOWN_KEY c')],
  ['a stage with a forbidden key', stage('constructor: x   <FORBIDDEN_KEY c')],
  ['a dependency that is no list', stage('depends_on: a   <WRONG_TYPE c')],
  ['a dependency that is a number', stage('depends_on:\n  - a\n  - 5   <WRONG_TYPE c')],
  ['a delivery that there is not', stage('delivery: pul   <WRONG_VALUE c')],
  ['places that are text', stage('concurrency: many   <WRONG_TYPE c')],
  ['a document that is text', stage('document: fetching   <WRONG_TYPE c')],
  ['a document with an unknown key', stage('document:\n  enter: fetching   <UNKNOWN_KEY c')],
  ['phases that are text', `${HEAD}phases: one   <WRONG_TYPE -\n${STAGES}`],
  ['a phase that is a number', `${HEAD}phases:\n  - 1   <WRONG_TYPE -\n${STAGES}`],
  ['gates that are a map', `${HEAD}gates:\n  g: {}   <WRONG_TYPE -\n${STAGES}    gate: g`],
  ['policies that are a list', `${HEAD}policies: []   <WRONG_TYPE -\n${STAGES}    policy: p`],
  ['a policy that is text', `${HEAD}policies:\n  p: default   <WRONG_TYPE -\n${STAGES}`],
  ['a policy that reaches behind objects', `${HEAD}policies:\n  __proto__: {}   <FORBIDDEN_KEY -\n${STAGES}`],
  ['a policy with an unknown key', policy('attempt: 3   <UNKNOWN_KEY -')],
  ['attempts that are text', policy('attempts: three   <WRONG_TYPE -')],
  ['attempts that are no number', policy('attempts: .nan   <WRONG_TYPE -')],
  ['attempts said twice', policy('attempts: 3\nmax_attempts: 3   <CONFLICTING_KEYS -')],
  ['a time that is none', policy('timeout: 5 minutes   <BAD_DURATION -')],
  ['a time that is negative', policy('timeout: -1   <BAD_DURATION -')],
  ['a time that is a list', policy('timeout: [5m]   <WRONG_TYPE -')],
  ['a backoff of no kind', policy('backoff: { base: 1s, cap: 2s }   <MISSING_KEY -')],
  [
    'a backoff of an unknown kind',
    policy('backoff:\n  kind: exponental   <WRONG_VALUE -\n  base: 1s\n  cap: 2s'),
  ],
  ['a backoff that is text', policy('backoff: linear   <WRONG_TYPE -')],
  ['a backoff without an end', policy('backoff: { kind: linear, base: 1s }   <MISSING_KEY -')],
  ['delays beside a base', policy('backoff:\n  kind: list\n  delays: [1s]\n  base: 1s   <UNKNOWN_KEY -')],
  [
    'a base beside delays',
    policy('backoff:\n  kind: linear\n  base: 1s\n  cap: 2s\n  delays: [1s]   <UNKNOWN_KEY -'),
  ],
  [
    'a delay that is none',
    policy('backoff:\n  kind: list\n  delays:\n    - 1s\n    - soon   <BAD_DURATION -'),
  ],
  ['a breaker without a time', policy('breaker: { failures: 5 }   <MISSING_KEY -')],
  ['a breaker that is a number', policy('breaker: 5   <WRONG_TYPE -')],
  ['a rate with an unknown key', policy('rate: { calls: 5, per: 1s, burst: 2 }   <UNKNOWN_KEY -')],
  ['a rate of nothing', policy('rate: { per: 1s }   <MISSING_KEY -')],
  ['a gate without a condition', gate('timeout: 5m').replace('name: g\n', 'name: g   <MISSING_KEY -\n')],
  [
    'a gate with an unknown key',
    gate('timeuot: 5m   <UNKNOWN_KEY -\nwhen: { field: metadata.x, exists: true }'),
  ],
  ['a condition that is text', gate('when: document.state   <WRONG_TYPE -')],
  ['a clause without a field', clause('{ equals: 5 }   <MISSING_KEY -')],
  ['a clause that asks nothing', clause('{ field: metadata.x }   <MISSING_KEY -')],
  [
    'a clause that asks twice',
    clause('{ field: metadata.x, equals: 5, exists: true }   <CONFLICTING_KEYS -'),
  ],
  [
    'a clause with a value beside',
    clause('{ field: metadata.x, equals: 5, value: 5 }   <CONFLICTING_KEYS -'),
  ],
  ['an operator in two ways', clause('{ field: metadata.x, op: equals, equals: 5 }   <CONFLICTING_KEYS -')],
  ['an operator that there is not', clause('{ field: metadata.x, op: equal, value: 5 }   <WRONG_VALUE -')],
  [
    'a clause with an unknown operator',
    clause('{ field: metadata.x, exists: true, like: 5 }   <UNKNOWN_KEY -'),
  ],
  ['a clause beside all', clause('{ all: [], field: metadata.x }   <CONFLICTING_KEYS -')],
  ['all beside any', clause('{ all: [], any: [] }   <CONFLICTING_KEYS -')],
  ['all of a map', clause('{ all: { field: metadata.x, exists: true } }   <WRONG_TYPE -')],
  ['a value that JSON cannot hold', clause('{ field: metadata.x, equals: .inf }   <WRONG_VALUE -')],
  [
    'a value that reaches behind objects',
    clause('{ field: metadata.x, equals: { __proto__: 1 } }   <WRONG_VALUE -'),
  ],
  // What it says.
  [
    'a circle',
    `${HEAD}stages:\n  - name: a\n    depends_on: [b]   <CYCLE a\n  - name: b\n    depends_on: [a]`,
  ],
  ['a circle of one', stage('depends_on:\n  - a\n  - c   <CYCLE c')],
  ['an unknown dependency', stage('depends_on:\n  - a\n  - bb   <UNKNOWN_DEPENDENCY c')],
  ['a dependency given twice', stage('depends_on:\n  - a\n  - a   <DUPLICATE_DEPENDENCY c')],
  ['a stage that is there twice', `${HEAD}${STAGES}  - name: a   <DUPLICATE_STAGE a`],
  [
    'a dependency on a later phase',
    `${HEAD}phases: [one, two]\nstages:\n  - name: a\n    phase: one\n    depends_on: [b]   <LATER_PHASE a\n  - name: b\n    phase: two`,
  ],
  ['an unknown phase', `${HEAD}phases: [one]\nstages:\n  - name: a\n    phase: tow   <UNKNOWN_PHASE a`],
  ['a stage in no phase', `${HEAD}stages:\n  - name: a\n    phase: one\n  - name: b   <MISSING_PHASE b`],
  [
    'a phase that is there twice',
    `${HEAD}phases:\n  - x\n  - x   <DUPLICATE_PHASE -\nstages: [{name: a, phase: x}]`,
  ],
  ['an unknown gate', stage('gate: pdf_ready   <UNKNOWN_GATE c')],
  [
    'an unused gate',
    `${HEAD}gates:\n  - name: g   <UNUSED_GATE -\n    when: { field: metadata.x, exists: true }\n${STAGES}`,
  ],
  [
    'a gate that is there twice',
    gate('when: { field: metadata.x, exists: true }').replace(
      'stages:',
      '  - name: g   <DUPLICATE_GATE -\n    when: { field: metadata.x, exists: true }\nstages:',
    ),
  ],
  ['an unknown policy', stage('policy: gpu-bond   <UNKNOWN_POLICY c')],
  ['an unknown policy beside a time', stage('policy: gpu-bond   <UNKNOWN_POLICY c\ntimeout: 5m')],
  [
    'a gate that resumes nowhere',
    gate('when: { field: metadata.x, exists: true }\nresume: d   <UNKNOWN_RESUME -'),
  ],
  [
    'a gate that goes back',
    gate('when: { field: metadata.x, exists: true }\nresume: a   <RESUME_NOT_LATER b'),
  ],
  ['a gate without time', gate('when: { field: metadata.x, exists: true }\ntimeout: 0s   <OUT_OF_RANGE -')],
  ['an unknown field', clause('{ field: job.state, exists: true }   <UNKNOWN_FIELD -')],
  ['a field behind an object', clause('{ field: entry.__proto__, exists: true }   <UNKNOWN_FIELD -')],
  ['an unknown state', clause('{ field: document.state, equals: ir_redy }   <UNKNOWN_STATE -')],
  ['an old name of a state', clause('{ field: document.state, in: [pdf_ir_ready] }   <UNKNOWN_STATE -')],
  ['in no list', clause('{ field: metadata.x, in: 5 }   <BAD_CONDITION -')],
  ['not changed', clause('{ field: metadata.x, changed: false }   <BAD_CONDITION -')],
  ['all of nothing', clause('{ all: [] }   <EMPTY_CONDITION -')],
  ['conditions nested too deeply', gate(`when: ${deep(9)}   <TOO_DEEP -`)],
  ['a state of a document that there is not', stage('document: { enters: fetch }   <UNKNOWN_STATE c')],
  ['a document that jumps', stage('document:\n  enters: fetching\n  leaves: parsed   <ILLEGAL_EDGE c')],
  ['a name with a slash', `name: a/b   <BAD_NAME -\nversion: v1\n${STAGES}`],
  ['a policy with a blank in its name', `${HEAD}policies:\n  a b:   <BAD_NAME -\n    attempts: 3\n${STAGES}`],
  ['a queue of control characters', stage('queue: "a\\tb"   <BAD_NAME c')],
  ['no attempts', policy('attempts: 0   <OUT_OF_RANGE -')],
  [
    'a wait that ends before it begins',
    policy('backoff:\n  kind: linear\n  base: 5s\n  cap: 1s   <OUT_OF_RANGE -'),
  ],
  ['half a failure', policy('breaker:\n  failures: 0.5   <OUT_OF_RANGE -\n  recovery: 1s')],
  ['a rate of no calls', policy('rate:\n  calls: 0   <OUT_OF_RANGE -\n  per: 1s')],
  ['no attempts of a stage itself', stage('policy: gpu-bound\nattempts: 0   <OUT_OF_RANGE c')],
  ['a time of a stage itself that is none', stage('timeout: soon   <BAD_DURATION c')],
  ['no places', stage('concurrency: 0   <OUT_OF_RANGE c')],
  [
    'a policy called as that of a stage',
    `${HEAD}policies: { default.a: { attempts: 3 } }\nstages:\n  - name: a   <DUPLICATE_POLICY a\n    attempts: 2`,
  ],
]

function expected(yaml: string): { text: string; line: number; code: string; stage: string | null } {
  const lines = yaml.split('\n')
  const line = lines.findIndex((one) => one.includes('   <'))
  const [before = '', mark = ''] = (lines[line] ?? '').split('   <')
  const [code = '', name = ''] = mark.split(' ')
  return {
    text: lines.with(line, before).join('\n'),
    line: line + 1,
    code,
    stage: name === '-' ? null : name,
  }
}

function refusal(text: string): InvalidTopology {
  try {
    parseTopology(text, { file: 'bad.yaml' })
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidTopology)
    return error as InvalidTopology
  }
  throw new Error('it was accepted')
}

it('there are many of them', () => {
  expect(BAD.length).toBeGreaterThanOrEqual(60)
  expect(new Set(BAD.map(([what]) => what)).size).toBe(BAD.length)
})

it.each(BAD)('A55: %s', (_, yaml) => {
  const { text, line, code, stage } = expected(yaml)
  const error = refusal(text)
  expect(error.problems.map((one) => ({ line: one.line, code: one.code, stage: one.stage }))).toEqual([
    { line, code, stage },
  ])
  const [{ column, message } = { column: 0, message: '' }] = error.problems
  expect(error.message).toBe(`bad.yaml has a problem:\nbad.yaml:${line}:${column}: ${message}`)
  expect(column).toBeGreaterThan(0)
})

it('in code they have the same codes and messages, and no lines', () => {
  let compared = 0
  for (const [what, yaml] of BAD) {
    const { text } = expected(yaml)
    const source = yamlSource(text)
    if (source.problems.length > 0) continue
    const told = refusal(text).problems
    const { problems } = topologyFrom(source.value)
    compared++
    expect([what, problems.map(({ code }) => code)]).toEqual([what, told.map(({ code }) => code)])
    for (const [i, { message }] of problems.entries()) expect(told[i]?.message.startsWith(message)).toBe(true)
  }
  expect(compared).toBeGreaterThan(60)
})
