import { describe, expect, it } from 'vitest'
import { requestOf } from '../../../test/fixtures/live-ledger.ts'
import { openTestLedger } from '../../../test/fixtures/test-ledger.ts'
import { InvalidTopology } from '../../errors/topology-errors.ts'
import type { Handler, StepWork } from '../../runtime/handler.ts'
import { VirtualClock } from '../../testing/virtual-clock.ts'
import { virtualWorld } from '../../testing/virtual-world.ts'
import { CircuitOpen } from '../../wire/circuit-open.ts'
import { type Pipeline, pipeline, pipelineFrom, type StageOptions } from './pipeline.ts'
import { parseTopology } from './topology-file.ts'

const done: Handler = () => 'done'

function refusal(make: () => unknown): InvalidTopology {
  try {
    make()
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidTopology)
    return error as InvalidTopology
  }
  throw new Error('it was accepted')
}

function problemsOf(made: Pipeline): readonly (readonly [code: string, stage: string | null])[] {
  return refusal(() => made.protocol).problems.map(({ code, stage }) => [code, stage])
}

function workOf(step_id: string): StepWork {
  return { step: { step_id }, signal: new AbortController().signal } as unknown as StepWork
}

describe('a pipeline in code', () => {
  const pdf = pipeline('pdf-two-phase', 'v2')
    .phases('one', 'two')
    .policy('slow', { attempts: 2, timeout: '5m', breaker: { failures: 3, recovery: '10s' } })
    .gate('ready', {
      when: {
        any: [
          { field: 'document.state', equals: 'ir_ready' },
          { field: 'metadata.ready', exists: true },
        ],
      },
      timeout: '15m',
      resume: 'embed',
    })
    .stage('download', { phase: 'one', document: { enters: 'fetching', leaves: 'fetched' } }, done)
    .stage('chunk', { phase: 'two', gate: 'ready', attempts: 3, timeout: '5m', policy: 'gpu-bound' }, done)
    .stage('embed', { phase: 'two', dependsOn: ['chunk'], policy: 'slow', concurrency: 2 }, done)
    .stage('publish', { phase: 'two', delivery: 'push', service: 'publisher' })

  it('is a topology, a protocol and handlers', () => {
    expect([pdf.name, pdf.version]).toEqual(['pdf-two-phase', 'v2'])
    expect(pdf.topology).toMatchObject({
      name: 'pdf-two-phase',
      version: 'v2',
      phases: ['one', 'two'],
      stages: [
        { name: 'download', phase: 'one' },
        { name: 'chunk', policy: 'gpu-bound.chunk', gate: 'ready' },
        { name: 'embed', depends_on: ['chunk'], policy: 'slow' },
        { name: 'publish', delivery: 'push' },
      ],
    })
    expect(pdf.protocol.protocol_id).toBe('pdf-two-phase@v2')
    const [, chunk, embed] = pdf.protocol.steps
    expect(chunk).toMatchObject({
      policy: { max_attempts: 3, timeout_ms: 300_000, backoff: { kind: 'none' } },
      breaker: { failures: 5, recovery_ms: 60_000 },
      gate: { name: 'ready', timeout_ms: 900_000, resume: 'embed' },
    })
    expect(embed).toMatchObject({
      policy: { max_attempts: 2, timeout_ms: 300_000 },
      breaker: { failures: 3, recovery_ms: 10_000 },
      limits: [{ key: 'pdf-two-phase/embed', max: 2 }],
    })
    expect(Object.keys(pdf.handlers)).toEqual([
      'pdf-two-phase/download',
      'pdf-two-phase/chunk',
      'pdf-two-phase/embed',
    ])
  })

  it('stays as it is when another one is made of it', () => {
    const longer = pdf.stage('last', { phase: 'two' }, done)
    expect(pdf.protocol.steps).toHaveLength(4)
    expect(longer.protocol.steps).toHaveLength(5)
    expect(pdf.protocol).toBe(pdf.protocol)
  })

  it('is the same as its topology with the same functions', () => {
    const again = pipelineFrom(pdf.topology, { download: done, chunk: done, embed: done })
    expect(again.topology).toEqual(pdf.topology)
    expect(again.protocol).toEqual(pdf.protocol)
  })

  it('A55: says what is wrong with it by name, with the codes that files have, and without lines', () => {
    const wrong = pipeline('pdf', 'v1')
      .stage('a', { dependsOn: ['b'], timeout: 'soon' }, done)
      .stage('b', { dependsOn: ['a'], gate: 'g' }, done)
      .stage('b', done)
    const error = refusal(() => wrong.protocol)
    expect(error.message.split('\n')).toEqual([
      'The pipeline pdf has 4 problems:',
      'timeout is "soon", which is no span of time: write 30s, 5m or 1h 30m',
      'Stage b has the gate "g", and there is no such gate',
      'Stage "b" is there twice',
      'Stages wait for each other: a → b → a',
    ])
    expect(error.problems[0]).toMatchObject({ line: null, column: null, stage: 'a', code: 'BAD_DURATION' })
    expect(() => wrong.topology).toThrow(InvalidTopology)
    expect(() => wrong.handlers).toThrow(InvalidTopology)
  })

  it('A55: refuses what types alone would have told', () => {
    expect(problemsOf(pipeline('n', 'v'))).toEqual([['NO_STAGES', null]])
    expect(problemsOf(pipeline(5 as unknown as string, 'v').stage('a', done))).toEqual([['WRONG_TYPE', null]])
    const options = { dependson: ['x'] } as StageOptions
    expect(problemsOf(pipeline('n', 'v').stage('a', options, done))).toEqual([['UNKNOWN_KEY', 'a']])
    const noHandler = pipeline('n', 'v').stage('a', {}, 'f' as unknown as Handler)
    expect(problemsOf(noHandler)).toEqual([['MISSING_HANDLER', 'a']])
    const forgotten = pipeline('n', 'v').stage('a', {} as { delivery: 'push' })
    expect(problemsOf(forgotten)).toEqual([['MISSING_HANDLER', 'a']])
    const useless = pipeline('n', 'v').stage('a', { delivery: 'external' }, done)
    expect(problemsOf(useless)).toEqual([['USELESS_HANDLER', 'a']])
    const round: { all: unknown[] } = { all: [] }
    round.all.push(round)
    const endless = pipeline('n', 'v').gate('g', { when: round as never })
    expect(problemsOf(endless.stage('a', { gate: 'g' }, done))).toEqual([['TOO_DEEP', null]])
    expect(refusal(() => pipeline('n', 'v').policy('p', {}).policy('p', {})).problems[0]?.code).toBe(
      'DUPLICATE_POLICY',
    )
    expect(problemsOf(pipeline('n', 'v').policy('__proto__', {}).stage('a', done))).toEqual([
      ['FORBIDDEN_KEY', null],
    ])
    class Odd {}
    expect(problemsOf(pipeline('n', 'v').stage('a', { document: new Odd() }, done))).toEqual([
      ['WRONG_TYPE', 'a'],
    ])
  })
})

describe('a pipeline of a topology and functions', () => {
  const topology = parseTopology(
    'name: n\nversion: v\nstages: [{name: a}, {name: b}, {name: c, delivery: push}]',
  )

  it('refuses a stage without a function and a function without a stage, by name', () => {
    const error = refusal(() => pipelineFrom(topology, { a: done, bb: done, c: done }))
    expect(error.problems.map(({ code, stage, message }) => [code, stage, message])).toEqual([
      ['MISSING_HANDLER', 'b', 'Stage b has no function'],
      ['UNKNOWN_HANDLER', null, 'There is a function for the stage bb, and no such stage. Did you mean b?'],
      ['USELESS_HANDLER', 'c', 'Stage c is delivered by push: no worker would call its function'],
    ])
  })

  it('takes a topology as people write it as well', () => {
    const made = pipelineFrom(
      { name: 'n', version: 'v', stages: [{ name: 'a', timeout: '5m' }] },
      { a: done },
    )
    expect(made.protocol.steps[0]?.policy?.timeout_ms).toBe(300_000)
  })
})

describe('the handlers of a pipeline', () => {
  it('are behind the breakers of their stages, which all that ask share', async () => {
    const clock = new VirtualClock(0)
    const fail: Handler = () => {
      throw new Error('busy')
    }
    const made = pipeline('n', 'v')
      .stage('a', { breaker: { failures: 1, recovery: '1m' } }, fail)
      .stage('b', { breaker: null }, fail)
    const run = async (queue: string) => made.handlersFor(clock)[queue]?.(workOf(queue.slice(2)))
    await expect(run('n/a')).rejects.toThrow('busy')
    await expect(run('n/a')).rejects.toBeInstanceOf(CircuitOpen)
    await expect(run('n/b')).rejects.toThrow('busy')
    await expect(run('n/b')).rejects.toThrow('busy')
    await clock.advanceBy(60_000)
    await expect(run('n/a')).rejects.toThrow('busy')
    expect(made.handlersFor(new VirtualClock(0))).not.toBe(made.handlersFor(clock))
    expect(made.handlers).toBe(made.handlers)
  })

  it('of stages that share a queue each do their own', async () => {
    const made = pipeline('n', 'v')
      .stage('a', { queue: 'gpu', breaker: null }, () => 'of a')
      .stage('b', { queue: 'gpu' }, () => 'of b')
    const { gpu } = made.handlers
    expect([await gpu?.(workOf('a')), await gpu?.(workOf('b'))]).toEqual(['of a', 'of b'])
    expect(() => gpu?.(workOf('c'))).toThrow('The queue gpu has a step c, which this pipeline does not do')
  })

  it('run its jobs, stage by stage', async () => {
    const world = virtualWorld()
    const made = pipeline('n', 'v')
      .stage('last', { dependsOn: ['first'] }, ({ previous }) => ({ last: previous }))
      .stage('first', { rate: { calls: 5, per: '1s' }, concurrency: 1 }, ({ input }) => ({ first: input }))
    const ledger = await openTestLedger({ world, protocols: [made.protocol] })
    ledger.work(made.handlersFor(world.clock))
    const job = await ledger.jobs.submit(requestOf({ request_type: 'n', payload: { x: 1 } }))
    const result = job.result()
    await world.advanceBy(1)
    expect(await result).toEqual({ last: { first: { x: 1 } } })
  })
})
