import { describe, expect, it } from 'vitest'
import { Delta, entryOf, type Saying } from '../../../../test/fixtures/segment-lines.ts'
import type { AuditEntry } from '../../../core/audit.ts'
import { entriesOf } from '../lines/line.ts'
import { HeaderBuilder, mayMatch, namesIn, unionOf } from './header.ts'

function builderOf(sayings: readonly Saying[], firstSeq = 1): HeaderBuilder {
  const builder = new HeaderBuilder(firstSeq)
  for (const text of new Delta(sayings, firstSeq).texts) {
    const line = JSON.parse(text)
    builder.add(line, entriesOf(line))
  }
  return builder
}

const headerOf = (...entries: readonly Partial<AuditEntry>[]) =>
  builderOf(entries.map((entry) => [entryOf(entry)])).build()

describe('the header of some lines', () => {
  it('has what can be asked for, sorted, and every state that was entered', () => {
    const job = entryOf({
      kind: 'job',
      id: 'j',
      job_id: 'j',
      doc_id: null,
      path: [null, 'QUEUED', 'DISPATCHING'],
    })
    const failed = entryOf({ error_type: 'E', timestamp: 7, event: 'refused', actor: 'ann', tenant_id: 'z' })
    const builder = builderOf([[job, failed], [], 3], 5)
    expect([...builder.names]).toEqual(['j', 'doc:1'])
    expect([builder.nextSeq, builder.lines]).toEqual([12, 3])
    expect(builder.build()).toEqual({
      first_seq: 5,
      last_seq: 11,
      lines: 3,
      records: 3,
      times: [7, 1735787045.678],
      values: {
        tenant_id: ['default', 'z'],
        kind: ['document', 'job'],
        new_state: ['DISPATCHING', 'QUEUED', 'fetched'],
        adapter: ['pubmed'],
        error_type: ['E'],
        actor: ['ann', 'local'],
        event: ['moved', 'refused'],
      },
    })
  })

  it('does not list what has more than 16 values, and is then no reason to skip', () => {
    const actors = (n: number) => Array.from({ length: n }, (_, i) => ({ actor: `a${i}` }))
    const [few, many] = [headerOf(...actors(16)), headerOf(...actors(17))]
    expect([mayMatch(few, { actor: 'b' }), mayMatch(many, { actor: 'b' })]).toEqual([false, true])
    const other = headerOf({ actor: 'b' })
    expect(unionOf([few, other]).values).not.toHaveProperty('actor')
    expect(unionOf([other, many]).values).not.toHaveProperty('actor')
    expect(unionOf([other, other]).values.actor).toEqual(['b'])
  })

  it('says what cannot be in there, by time and by value', () => {
    const header = headerOf({ timestamp: 5 }, { timestamp: 9.999 })
    const queries = [
      { from: 10_000 },
      { from: 9999 },
      { before: 5000 },
      { before: 5001 },
      { state: 'fetching' },
    ]
    expect(queries.map((query) => mayMatch(header, query))).toEqual([false, true, false, true, false])
    expect(mayMatch(header, { error_type: 'E' })).toBe(false)
  })

  it('has nothing for anybody when there is no history in the lines', () => {
    const empty = builderOf([[], 4]).build()
    expect([empty.times, mayMatch(empty, {})]).toEqual([null, false])
    expect(unionOf([empty, headerOf({ timestamp: 3 })]).times).toEqual([3, 3])
  })

  it('knows which records a query names', () => {
    expect(namesIn({ id: 'a', doc_id: 'b', actor: 'c' })).toEqual(['a', 'b'])
  })
})
