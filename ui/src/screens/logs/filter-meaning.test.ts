import { describe, expect, it } from 'vitest'
import { parse, print } from './filter-language.ts'
import { type Filter, filterOf, fixedInTime, matcherOf, momentOf, serverQuery } from './filter-meaning.ts'
import { entry } from './history-fixture.ts'

const KNOWN = {
  kind: ['job', 'step'],
  level: ['error', 'warn', 'info'],
  state: ['FAILED_FINAL', 'failed', 'Failed'],
}
const NOW = Date.parse('2026-11-17T10:00:00Z')

const read = (text: string): Filter => filterOf(text, KNOWN)
const messages = (text: string) => read(text).wrong.map(({ nth, message }) => `${nth} ${message}`)
const matches = (text: string, told = {}, tenant = '*') => matcherOf(read(text), tenant, NOW)(entry(1, told))

describe('what a filter means', () => {
  it('is told of each part that is wrong, while the others hold', () => {
    expect(messages('foo:bar kind:job level:bad kind: from:xx -from:1h "open')).toEqual([
      '0 There is no field “foo”. To look for the text, put it in quotes',
      '2 “bad” is no level. There are error, warn, info',
      '3 kind: needs a value',
      '4 “xx” is no time. Write 15m, 2h or 3d, or 2026-11-17T10:30',
      '5 Write before: instead of -from:',
      '6 The quotes do not end',
    ])
    expect(read('foo:bar kind:job').terms).toEqual([{ isNegated: false, field: 'kind', value: 'job' }])
  })

  it('has no fields but its own, whatever every object has', () => {
    for (const name of ['constructor', '__proto__']) {
      expect(messages(`${name}:x`)).toEqual([
        `0 There is no field “${name}”. To look for the text, put it in quotes`,
      ])
    }
  })

  it('lists the first of many values only', () => {
    const known = { state: Array.from({ length: 10 }, (_, i) => `S${i}`) }
    expect(filterOf('state:x', known).wrong[0]?.message).toBe(
      '“x” is no state. There are S0, S1, S2, S3, S4, S5, S6, S7 and 2 more',
    )
  })

  it('takes capitals as they are where they matter, and any otherwise', () => {
    expect(read('level:ERROR,Warn').terms.map(({ value }) => value)).toEqual(['error', 'warn'])
    expect(read('state:Failed').terms.map(({ value }) => value)).toEqual(['Failed'])
  })

  it('says whose records are shown when others are asked for', () => {
    expect(filterOf('tenant:b', { tenant: ['a'] }).wrong[0]?.message).toBe(
      'Only records of a are shown. Choose another tenant at the top',
    )
  })

  it('knows a tool as an adapter', () => {
    expect(read('tool:ocr').terms).toEqual([{ isNegated: false, field: 'adapter', value: 'ocr' }])
  })

  it.each([
    ['15m', NOW - 900_000],
    ['2w', NOW - 14 * 86_400_000],
    ['2026-11-17T09:00:00Z', NOW - 3_600_000],
    ['yesterday', null],
    ['2026-99-99', null],
    ['15', null],
  ])('takes %s as a time', (text, ms) => expect(momentOf(text, NOW)).toBe(ms))

  it('is fixed in time for a link', () => {
    expect(print(fixedInTime(parse('from:15m before:x a'), NOW))).toBe(
      'from:2026-11-17T09:45:00.000Z before:x a',
    )
  })
})

describe('what the server is asked for', () => {
  it('is all that it can be asked for', () => {
    const text =
      'kind:job,step level:error actor:ann job:j doc:d run:r workstream:w id:i from:1h ab abc -kind:job'
    expect(serverQuery(read(text), '*', NOW)).toEqual({
      tenant_id: '*',
      kind: 'job,step',
      level: 'error',
      actor: 'ann',
      job_id: 'j',
      doc_id: 'd',
      run_id: 'r',
      workstream_id: 'w',
      id: 'i',
      q: 'abc',
      from: '2026-11-17T09:00:00.000Z',
    })
  })

  it('leaves out what it takes one value of, when there are several', () => {
    expect(serverQuery(read('actor:a actor:b tenant:x before:1h'), '*', NOW)).toEqual({
      tenant_id: 'x',
      before: '2026-11-17T09:00:00.000Z',
    })
    expect(serverQuery(read('tenant:x'), 'y', NOW)).toEqual({ tenant_id: 'y' })
  })
})

describe('which records are meant', () => {
  it.each([
    ['', {}, true],
    ['kind:job', {}, true],
    ['kind:step', {}, false],
    ['kind:step kind:job', {}, true],
    ['-kind:job', {}, false],
    ['kind:job actor:ann', { actor: 'bob' }, false],
    ['actor:ann actor:bob', { actor: 'bob' }, true],
    ['adapter:ocr', {}, true],
    ['error_type:Timeout', { error_type: 'Timeout' }, true],
    ['error_type:Timeout', {}, false],
    ['-error_type:Timeout', {}, true],
    ['run:r1', { metadata: { run_id: 'r1' } }, true],
    ['run:r1', { kind: 'run', id: 'r1' }, true],
    ['workstream:w', { metadata: { workstream_id: 7 } }, false],
    ['tenant:acme', {}, true],
    ['event:moved state:failed', { new_state: 'failed' }, true],
    ['TIMEOUT', { error_message: 'a timeout of 3 s' }, true],
    ['timeout ocr', { error_message: 'a timeout' }, true],
    ['timeout nothing', { error_message: 'a timeout' }, false],
    ['-timeout', { reason: 'Timeout' }, false],
    ['from:1h', { timestamp: NOW / 1000 - 3599 }, true],
    ['from:1h', { timestamp: NOW / 1000 - 3601 }, false],
    ['before:1h', { timestamp: NOW / 1000 - 3601 }, true],
    ['before:1h', { timestamp: NOW / 1000 - 3599 }, false],
    ['from:1h from:2h', { timestamp: NOW / 1000 - 7000 }, true],
  ])('%j of %j: %j', (text, told, isMeant) => expect(matches(text, told)).toBe(isMeant))

  it('are those of the tenant that is shown', () => {
    expect([matches('', {}, 'acme'), matches('', {}, 'other')]).toEqual([true, false])
  })
})
