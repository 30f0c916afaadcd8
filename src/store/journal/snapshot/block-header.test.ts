import { describe, expect, it } from 'vitest'
import { type BlockHeader, changeTime, covers, HeaderBuilder, mayMatch } from './block-header.ts'
import { sampleDocument, sampleJob, sampleRun } from './sample-records.ts'

function headerOf(...jobs: Parameters<typeof sampleJob>[0][]): BlockHeader {
  const builder = new HeaderBuilder()
  for (const job of jobs) builder.add(sampleJob(job))
  return builder.build()
}

const query = (part: object) => ({ kind: 'job', ...part }) as const

describe('headers', () => {
  it('list what the fields hold, and when', () => {
    const header = headerOf({ run_id: 'r2' }, { run_id: 'r1', updated_at: '2026-01-01T00:00:00.000Z' })
    expect(header.changed).toEqual([1735787045678, 1767225600000])
    expect(header.values).toMatchObject({ state: ['COMPLETED'], run_id: ['r1', 'r2'] })
    expect(Object.keys(header.values)).not.toContain('doc_id')
  })

  it('rule out what is not listed, and only that', () => {
    const header = headerOf({ run_id: 'r1' }, { run_id: 'r2' })
    expect(mayMatch(header, query({ where: { run_id: 'r1' } }))).toBe(true)
    expect(mayMatch(header, query({ where: { run_id: ['x', 'r2'] } }))).toBe(true)
    expect(mayMatch(header, query({ where: { run_id: 'r3' } }))).toBe(false)
    expect(mayMatch(header, query({ where: { doc_id: 'any' } }))).toBe(false)
    expect(mayMatch(header, query({ where: { run_id: [] } }))).toBe(false)
    expect(mayMatch(header, query({ changedFrom: 1735787045679 }))).toBe(false)
    expect(mayMatch(header, query({ changedFrom: 1735787045678 }))).toBe(true)
    expect(mayMatch(header, query({ changedBefore: 1735787045678 }))).toBe(false)
    expect(mayMatch(header, query({ changedBefore: 1735787045679 }))).toBe(true)
  })

  it('know nothing of a field with many values', () => {
    const many = Array.from({ length: 17 }, (_, i) => ({ run_id: `r${i}` }))
    expect(headerOf(...many.slice(1)).values.run_id).toHaveLength(16)
    const header = headerOf(...many, ...many)
    expect(header.values.run_id).toBeNull()
    expect(mayMatch(header, query({ where: { run_id: 'anything' } }))).toBe(true)
  })

  it('take over what others claim', () => {
    const builder = new HeaderBuilder()
    builder.include(headerOf({ run_id: 'r1' }))
    builder.include({ changed: [1, 2], values: { doc_id: null, state: ['QUEUED'] } })
    builder.add(sampleJob({ doc_id: 'd' }))
    const header = builder.build()
    expect(header.changed).toEqual([1, 1735787045678])
    expect(header.values).toMatchObject({ doc_id: null, state: ['COMPLETED', 'QUEUED'], run_id: ['r1'] })
    expect(covers(header, headerOf({ run_id: 'r1', doc_id: 'x' }))).toBe(true)
    expect(covers(header, headerOf({ run_id: 'r2' }))).toBe(false)
    expect(covers(headerOf({}), header)).toBe(false)
    expect(covers({ changed: null, values: {} }, headerOf({}))).toBe(false)
  })

  it('have no time where nothing has one', () => {
    expect(new HeaderBuilder().build()).toEqual({ changed: null, values: {} })
    expect(changeTime(sampleRun({ updated_at: 'never' }))).toBe(0)
    expect(changeTime(sampleDocument({ updated_at: 1.0005 }))).toBe(1001)
  })
})
