import fc from 'fast-check'
import { expect, it } from 'vitest'
import { documentRecord } from '../../../test/fixtures/document-record.ts'
import type { DocumentRecord } from '../../core/document/record.ts'
import type { DocumentState } from '../../core/machines/document.ts'
import type { FindQuery } from '../query.ts'
import { findPlaced, pageOf } from './find-records.ts'
import { LiveState } from './live-state.ts'

interface Put {
  readonly tenant: string
  readonly n: number
  readonly state: DocumentState
  readonly at: number
}

function documentOf({ tenant, n, state, at }: Put): DocumentRecord {
  return documentRecord({ tenant_id: tenant, doc_id: `d${n}`, state, updated_at: at / 1000 })
}

const NO_MORE = { audit: [], claims: [], slots: [], signals: [] }

const put = fc.record({
  what: fc.constant('put' as const),
  tenant: fc.constantFrom('a', 'b'),
  n: fc.nat(30),
  state: fc.constantFrom<DocumentState>('fetching', 'failed'),
  at: fc.nat(20),
})
const evict = fc.record({
  what: fc.constant('evict' as const),
  tenant: fc.constantFrom('a', 'b'),
  n: fc.nat(30),
})
const page = fc.record({ what: fc.constant('page' as const), list: fc.nat(3) })
const clear = fc.record({ what: fc.constant('clear' as const) })

const query = fc.record(
  {
    order: fc.constantFrom('id' as const, 'changed' as const),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.integer({ min: 1, max: 7 }),
    tenant_id: fc.constantFrom('a', 'b'),
    where: fc.constantFrom({ state: 'failed' }, {}),
    changedFrom: fc.nat(20),
  },
  { requiredKeys: ['order', 'limit'] },
)

it('answers every page as if all records were looked at, whatever comes and goes between pages', () => {
  const acts = fc.array(
    fc.oneof({ weight: 5, arbitrary: page }, { weight: 3, arbitrary: put }, evict, clear),
    {
      minLength: 20,
      maxLength: 120,
    },
  )
  fc.assert(
    fc.property(
      fc.array(put, { maxLength: 40 }),
      fc.array(query, { minLength: 4, maxLength: 4 }),
      acts,
      (first, queries, then) => {
        const live = new LiveState()
        const write = (one: Put) => live.apply({ ...NO_MORE, puts: [documentOf(one)] }, '1')
        for (const one of first) write(one)
        const after: (string | undefined)[] = []
        for (const act of then) {
          if (act.what === 'put') write(act)
          else if (act.what === 'evict')
            live.evict({ kind: 'document', tenant_id: act.tenant, id: `d${act.n}` })
          else if (act.what === 'clear') live.listings.clear()
          else {
            const asked: FindQuery = { kind: 'document', ...queries[act.list], after: after[act.list] }
            const order = asked.order ?? 'id'
            const found = live.listings.find(asked, order)
            expect(found).toEqual(findPlaced(live.records('document', asked.tenant_id), asked, order))
            after[act.list] = pageOf([found], asked).next ?? undefined
          }
        }
      },
    ),
  )
})

it('does not keep what came since for ever', () => {
  const live = new LiveState()
  const write = (n: number, at: number) =>
    live.apply({ ...NO_MORE, puts: [documentOf({ tenant: 'a', n, state: 'fetching', at })] }, '1')
  for (let n = 0; n < 100; n++) write(n, 0)
  const first = pageOf([live.listings.find({ kind: 'document', limit: 10 }, 'id')], {
    kind: 'document',
    limit: 10,
  })
  const asked = { kind: 'document', limit: 10, after: first.next as string } as const
  const before = live.listings.find(asked, 'id')
  for (let i = 0; i < 20_000; i++) write(i % 100, i)
  expect(live.listings.find(asked, 'id').map(({ place }) => place)).toEqual(before.map(({ place }) => place))
})
