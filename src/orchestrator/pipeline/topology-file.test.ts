import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { orderedStages } from '../../core/pipeline/stage-order.ts'
import { protocolOf } from '../../core/pipeline/topology-protocol.ts'
import { FileNotFound } from '../../errors/file-errors.ts'
import { InvalidTopology } from '../../errors/topology-errors.ts'
import { Protocols } from '../../ledger/protocols.ts'
import { MemoryDisk } from '../../testing/memory-disk.ts'
import { nodeDisk } from '../../world/node-disk.ts'
import { parseTopology, readTopology } from './topology-file.ts'

const SAMPLE = fileURLToPath(new URL('../../../examples/pdf-two-phase/pdf-two-phase.yaml', import.meta.url))

function refusal(text: string): InvalidTopology {
  try {
    parseTopology(text)
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidTopology)
    return error as InvalidTopology
  }
  throw new Error('it was accepted')
}

async function diskWith(bytes: string | Uint8Array): Promise<MemoryDisk> {
  const disk = new MemoryDisk()
  const file = await disk.open('/t.yaml')
  await file.write(0, Buffer.from(bytes))
  await file.close()
  return disk
}

describe('A54 A56: the sample', () => {
  it('is read without problems, and the ledger takes its protocol', async () => {
    const topology = await readTopology(SAMPLE, nodeDisk)
    expect(orderedStages(topology).map(({ name }) => name)).toEqual([
      'download',
      'parse',
      'chunk',
      'embed',
      'index',
    ])
    expect(topology.gates).toEqual([
      {
        name: 'pdf_ir_ready',
        when: {
          any: [
            { field: 'document.state', op: 'equals', value: 'ir_ready' },
            { field: 'metadata.pdf_ir_ready', op: 'equals', value: true },
          ],
        },
        timeout_ms: 900_000,
      },
    ])
    const protocols = new Protocols()
    protocols.register(protocolOf(topology))
    const { steps } = protocols.get('pdf-two-phase')
    expect(steps.map(({ step_id, gate }) => [step_id, gate?.name ?? null])).toEqual([
      ['download', null],
      ['parse', null],
      ['chunk', 'pdf_ir_ready'],
      ['embed', null],
      ['index', null],
    ])
    expect(steps[1]?.policy).toEqual({
      max_attempts: 3,
      timeout_ms: 300_000,
      backoff: { kind: 'exponential', baseMs: 500, capMs: 30_000, jitter: 0.5 },
    })
    expect(steps[1]?.breaker).toEqual({ failures: 5, recovery_ms: 60_000 })
    expect(steps[3]?.limits).toEqual([{ key: 'pdf-two-phase/embed', max: 2 }])
  })

  it('comes back the same when it is written as data and read again', async () => {
    const topology = await readTopology(SAMPLE, nodeDisk)
    expect(parseTopology(JSON.stringify(topology))).toEqual(topology)
  })
})

const EVERYTHING = `
name: all
version: "1"
policies:
  short: { attempts: 2 }
  listed: { backoff: { kind: list, delays: [1s, 2m] }, breaker: null }
  free: { timeout: 90000, backoff: none, rate: { calls: 5, per: 1s } }
  still: { backoff: { kind: none, base: 1s, cap: 2s, jitter: 0.1 } }
  fib: { backoff: { kind: fibonacci, base: 0.5s, cap: 1m } }
gates:
  - name: g
    when:
      all:
        - { field: entry.stage, not_equals: b }
        - { field: metadata.a.b, in: [1, two, null, { x: [1] }] }
        - any:
            - { field: document.metadata.x, exists: false }
            - { field: metadata.y, changed: true }
            - { field: metadata.z, op: exists }
            - { field: metadata.z, op: equals, value: null }
    resume: c
stages:
  - { name: a, delivery: push, service: ocr }
  - &b { name: b, gate: g, policy: short, timeout: 5m, breaker: { failures: 1, recovery: 1s }, queue: q }
  - { name: c, policy: polite-api, rate: null, attempts: 1 }
`

describe('what is written', () => {
  it('in all its forms', () => {
    const { policies, gates, stages } = parseTopology(EVERYTHING)
    const backoff = { kind: 'exponential', baseMs: 500, capMs: 30_000, jitter: 0.5 }
    expect(policies).toEqual({
      short: { max_attempts: 2, timeout_ms: 30_000, backoff },
      listed: { max_attempts: 3, timeout_ms: 30_000, backoff: { kind: 'list', delaysMs: [1000, 120_000] } },
      free: {
        max_attempts: 3,
        timeout_ms: 90_000,
        backoff: { kind: 'none', baseMs: 0, capMs: 0 },
        rate: { max: 5, per_ms: 1000 },
      },
      still: {
        max_attempts: 3,
        timeout_ms: 30_000,
        backoff: { kind: 'none', baseMs: 1000, capMs: 2000, jitter: 0.1 },
      },
      fib: {
        max_attempts: 3,
        timeout_ms: 30_000,
        backoff: { kind: 'fibonacci', baseMs: 500, capMs: 60_000 },
      },
      // What a stage says itself is a policy of its own.
      'short.b': {
        max_attempts: 2,
        timeout_ms: 300_000,
        backoff,
        breaker: { failures: 1, recovery_ms: 1000 },
      },
      'polite-api.c': {
        max_attempts: 1,
        timeout_ms: 10_000,
        backoff: { kind: 'linear', baseMs: 1000, capMs: 10_000 },
      },
    })
    expect(gates?.[0]?.when).toEqual({
      all: [
        { field: 'entry.stage', op: 'not_equals', value: 'b' },
        { field: 'metadata.a.b', op: 'in', value: [1, 'two', null, { x: [1] }] },
        {
          any: [
            { field: 'document.metadata.x', op: 'exists', value: false },
            { field: 'metadata.y', op: 'changed' },
            { field: 'metadata.z', op: 'exists' },
            { field: 'metadata.z', op: 'equals', value: null },
          ],
        },
      ],
    })
    expect(stages).toEqual([
      { name: 'a', delivery: 'push', service: 'ocr' },
      { name: 'b', gate: 'g', policy: 'short.b', queue: 'q' },
      { name: 'c', policy: 'polite-api.c' },
    ])
  })

  it('as data again, and nobody can change it', () => {
    const topology = parseTopology(EVERYTHING)
    expect(parseTopology(JSON.stringify(topology))).toEqual(topology)
    expect(Object.isFrozen(topology.stages[0])).toBe(true)
  })

  it('with anchors', () => {
    const { stages } = parseTopology(
      'name: n\nversion: v\nstages:\n  - { name: a, document: &d { fails: failed } }\n  - { name: b, document: *d }',
    )
    expect(stages[1]?.document).toEqual({ fails: 'failed' })
  })
})

describe('A55: mistakes', () => {
  it('are all told at once, from top to bottom, with what is meant', () => {
    const error = refusal(
      [
        'name: pdf',
        'version: v1',
        'polices: {}',
        'gates:',
        '  - name: ready',
        '    when: { field: document.state, equals: ir_redy }',
        '    timeout: soon',
        'stages:',
        '  - name: download',
        '    policy: polite_api',
        '  - name: chunk',
        '    depends_on: [downlaod]',
        '    gate: redy',
        '    document: { enters: fetching, leaves: parsed }',
      ].join('\n'),
    )
    expect(error.message.split('\n')).toEqual([
      'The topology has 8 problems:',
      '3:1: A topology has no "polices". Did you mean policies?',
      '5:5: No stage has the gate ready',
      '6:44: "ir_redy" is not a state of documents. Did you mean ir_ready?',
      '7:14: timeout is "soon", which is no span of time: write 30s, 5m or 1h 30m',
      '10:13: Stage download has the policy "polite_api", and there is no such policy. Did you mean polite-api?',
      '12:18: Stage chunk depends on "downlaod", and there is no such stage. Did you mean download?',
      '13:11: Stage chunk has the gate "redy", and there is no such gate. Did you mean ready?',
      '14:43: A document does not go from fetching to parsed; it goes to fetched, failed, retrying',
    ])
    expect(error).toMatchObject({ code: 'INVALID_TOPOLOGY', status: 422, exitCode: 2 })
    expect(error.details.problems).toHaveLength(8)
    expect(error.problems[4]).toEqual({
      line: 10,
      column: 13,
      stage: 'download',
      code: 'UNKNOWN_POLICY',
      message: expect.stringContaining('polite_api'),
    })
    expect(error.next).not.toBe('')
  })

  it('are told of what was written, not of what follows from it', () => {
    const codes = (text: string) => refusal(`name: n\nversion: v\n${text}`).problems.map(({ code }) => code)
    expect(codes('gates: x\nstages: [{name: a, gate: g}]')).toEqual(['WRONG_TYPE'])
    expect(codes('policies: x\nstages: [{name: a, policy: p}]')).toEqual(['WRONG_TYPE'])
    expect(codes('phases: [1]\nstages: [{name: a, phase: p}]')).toEqual(['WRONG_TYPE'])
    expect(codes('stages: [{name: 1}, {name: a, depends_on: ["1"]}]')).toEqual(['WRONG_TYPE'])
    expect(codes('stages: [5, {name: a, depends_on: [b]}]')).toEqual(['WRONG_TYPE'])
    expect(
      codes('gates: [{name: g, when: {field: metadata.x, exists: true}}]\nstages: [{name: a, gate: [g]}]'),
    ).toEqual(['WRONG_TYPE'])
    // But what does not follow is told.
    expect(codes('gates: [{name: g, when: 5}]\nstages: [{name: a, gate: h}]')).toEqual([
      'UNUSED_GATE',
      'WRONG_TYPE',
      'UNKNOWN_GATE',
    ])
  })

  it('are told up to a number of them', () => {
    const stages = Array.from({ length: 90 }, (_, i) => `  - { name: s${i}, x: 1, policy: none }`).join('\n')
    const error = refusal(`name: n\nversion: v\nstages:\n${stages}`)
    expect(error.problems).toHaveLength(100)
    expect(error.message).toContain('has 180 problems:')
    expect(error.message.endsWith('and 80 more')).toBe(true)
  })
})

describe('files', () => {
  it('that are not there', async () => {
    await expect(readTopology('/gone.yaml', new MemoryDisk())).rejects.toBeInstanceOf(FileNotFound)
  })

  it('that are not text, or too large', async () => {
    const told = async (bytes: string | Uint8Array) =>
      (await readTopology('/t.yaml', await diskWith(bytes)).catch(
        (error: unknown) => error,
      )) as InvalidTopology
    expect((await told(Uint8Array.of(0xff, 0xfe, 0x00))).message).toBe(
      '/t.yaml has a problem:\n/t.yaml:1:1: It is not text in UTF-8',
    )
    expect((await told('#'.repeat(1024 * 1024 + 1))).problems[0]?.code).toBe('TOO_LARGE')
    expect(refusal('é'.repeat(600_000)).problems[0]?.code).toBe('TOO_LARGE')
    expect((await told('\uFEFFname: n\nversion: v\nstages: [{name: a}, 5]')).problems[0]?.line).toBe(3)
  })

  // Texts of this kind took the library minutes, or all memory, when it was left to compare keys and to follow aliases.
  it('that are made to be slow, or large, are refused soon', () => {
    const bomb = Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`).join('\n')
    const slow: readonly (readonly [text: string, code: string])[] = [
      ['{'.repeat(20_000), 'TOO_DEEP'],
      ['? '.repeat(20_000), 'TOO_DEEP'],
      [Array.from({ length: 30_000 }, (_, i) => `k${i}: 1`).join('\n'), 'TOO_LARGE'],
      [Array.from({ length: 3000 }, (_, i) => `- &a${i} x\n- *a${i}`).join('\n'), 'TOO_MANY'],
      [`a0: &a0 [x, x]\n${bomb}`, 'TOO_MANY'],
      [`a: &a [${'x, '.repeat(1000)}]\nb: [${'*a, '.repeat(90)}]`, 'TOO_LARGE'],
    ]
    for (const [text, code] of slow) expect(refusal(text).problems.map((one) => one.code)).toEqual([code])
  })

  it('of any text at all end in a topology or in an error that says where', () => {
    const words = fc.constantFrom(
      ...[
        'name: ',
        'stages:',
        '\n',
        '  ',
        '- ',
        '{',
        '}',
        '[',
        ']',
        ', ',
        ': ',
        'a',
        '&x ',
        '*x',
        '"',
        '!t ',
        '? ',
      ],
      ...[
        '__proto__',
        'gates:',
        'when: ',
        'all: ',
        'field: ',
        '1',
        'null',
        '|',
        '\t',
        '#',
        '%',
        '---\n',
        '<<: ',
      ],
    )
    const text = fc.array(words, { maxLength: 60, size: 'max' }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (given) => {
        const { problems } = refusal(given)
        expect(problems.length).toBeGreaterThan(0)
        for (const { line, column } of problems) {
          expect(line).toBeGreaterThanOrEqual(1)
          expect(column).toBeGreaterThanOrEqual(1)
          expect(line).toBeLessThanOrEqual(given.split('\n').length)
        }
      }),
      { numRuns: 1500 },
    )
  })
})
