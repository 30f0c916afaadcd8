import { describe, expect, it } from 'vitest'
import { InvalidInput } from '../../errors/input-errors.ts'
import { parsed } from '../../ledger/steering-schemas.ts'
import { eventsQueryOf, eventsQuerySchema } from './events-query.ts'

const parse = (query: object, lastEventId?: string) =>
  eventsQueryOf(parsed(eventsQuerySchema, query), lastEventId)

describe('query of an event stream', () => {
  it('has a place and a filter', () => {
    const query = { after: '7', kind: ['job', 'step,outbox'], state: 'QUEUED,FAILED_FINAL', actor: 'ann' }
    expect(parse(query)).toEqual({
      after: '7',
      filter: { kind: ['job', 'step', 'outbox'], state: ['QUEUED', 'FAILED_FINAL'], actor: 'ann' },
    })
    expect(parse({})).toEqual({ after: undefined, filter: {} })
  })

  it('goes on from the last event that a browser saw, not from where its URL began', () => {
    expect(parse({ after: '0' }, '42').after).toBe('42')
  })

  it.each([
    ['kind', { kind: 'jobs' }],
    ['kind', { kind: '' }],
    ['event', { event: 'moved,nothing' }],
    ['state', { state: 'QEUED' }],
    ['state', { state: 'fetched', kind: 'job' }],
    ['id', { id: '' }],
    ['id', { id: ['a', 'b'] }],
    ['tenant_id', { tenant_id: 'a\nb' }],
    ['actor', { actor: 'a'.repeat(10_001) }],
    ['jobid', { jobid: 'j1' }],
    ['kind', { kind: Array.from({ length: 101 }, () => 'job') }],
  ])('names the field that is wrong: %s', (field, query) => {
    let thrown: unknown
    try {
      parse(query)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(InvalidInput)
    expect((thrown as InvalidInput).field?.split('.')[0]).toBe(field)
  })

  it('says which state was meant', () => {
    expect(() => parse({ state: 'QEUED' })).toThrow(
      expect.objectContaining({ next: expect.stringContaining('Did you mean QUEUED?') }),
    )
  })
})
