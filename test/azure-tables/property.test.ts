// Whatever is asked in whatever order, the fake answers as the service does: what was tested with it holds there.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectTables } from '../../src/store/azure-tables/data-tables-service.ts'
import type {
  Columns,
  Condition,
  Row,
  RowQuery,
  RowWrite,
  TableService,
  Value,
  WriteAnswer,
} from '../../src/store/azure-tables/service.ts'
import { realWorld } from '../../src/world/world.ts'
import { dropTables, freshPrefix, testTables } from './azurite.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'
import { WRONG } from './subjects.ts'

const RUNS = Number(process.env.WAYBILL_RUNS ?? 50)
const MOST_ACTS = 25

const seed = process.env.WAYBILL_SEED === undefined ? {} : { seed: Number(process.env.WAYBILL_SEED) }

const PKS = ['p', 'P', "it's", '%41 +&'] as const
const RKS = ['a', 'B', 'b', "'", '  ', '%2F', 'a+&=', '01', '1', '1e0', '{x}', '~'] as const

const key = (keys: readonly string[]) => fc.constantFrom(...keys)

// Mostly a few: what is compared is to be the same now and then.
const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('', 'a', "it's") },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
)
const number = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 5e9, -1e-7) },
  { weight: 1, arbitrary: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })) },
)

/** Each column has one type, or else nobody could compare it. */
const COLUMNS = { s: text, t: text, n: number, m: number, is: fc.boolean() } as const

const columns = fc.record(COLUMNS, { requiredKeys: ['s', 'n'] }) as fc.Arbitrary<Columns>

/** How a write is to know the row: as it is, as it was once, or not at all. */
type Known = 'now' | 'before' | 'not'

interface Write {
  readonly verb: RowWrite['verb']
  readonly rk: string
  readonly columns: Columns
  readonly known: Known
}

const write: fc.Arbitrary<Write> = fc.record({
  verb: fc.constantFrom<RowWrite['verb'][]>('insert', 'put', 'put', 'put', 'put', 'delete'),
  rk: key(RKS),
  columns,
  known: fc.constantFrom<Known[]>('now', 'before', 'not', 'not', 'not'),
})

const is = fc.constantFrom('eq', 'ne', 'lt', 'le', 'gt', 'ge')
const condition: fc.Arbitrary<Condition> = fc.oneof(
  ...(['s', 't', 'n', 'm'] as const).flatMap((column) => [
    fc.record({ column: fc.constant(column), is, value: COLUMNS[column] as fc.Arbitrary<Value> }),
    fc.record({
      column: fc.constant(column),
      isOneOf: fc.array(COLUMNS[column] as fc.Arbitrary<Value>, { maxLength: 3 }),
    }),
  ]),
  fc.record({ column: fc.constant('is'), is: fc.constantFrom('eq', 'ne'), value: fc.boolean() }),
) as fc.Arbitrary<Condition>

/** One range or another: a row that is in all of them at once is rare. */
const range: fc.Arbitrary<RowQuery> = fc.oneof(
  fc.constant({}),
  fc.record({ pk: key(PKS) }),
  fc.record({ pkFrom: key(PKS) }),
  fc.record({ pkBefore: key(PKS) }),
  fc.record({ pkFrom: key(PKS), pkBefore: key(PKS) }),
  fc.record({ rkFrom: key(RKS), rkBefore: key(RKS) }),
  fc.record({ pk: key(PKS), rkFrom: key(RKS), rkBefore: key(RKS) }),
)

const rest: fc.Arbitrary<RowQuery> = fc.record(
  {
    where: fc.oneof(
      { weight: 4, arbitrary: fc.tuple(condition) },
      { weight: 1, arbitrary: fc.tuple(condition, condition) },
    ),
    select: fc.subarray(['s', 't', 'n', 'm', 'is', 'none']),
    limit: fc.integer({ min: 1, max: 5 }),
  },
  { requiredKeys: [] },
)

const query: fc.Arbitrary<RowQuery> = fc.tuple(range, rest).map(([within, more]) => ({ ...within, ...more }))

type Act =
  | { readonly act: 'get'; readonly pk: string; readonly rk: string }
  | { readonly act: 'query'; readonly query: RowQuery }
  | { readonly act: 'write'; readonly pk: string; readonly writes: readonly Write[] }

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ act: fc.constant('get' as const), pk: key(PKS), rk: key(RKS) }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('query' as const), query }) },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constant('write' as const),
      pk: key(PKS),
      writes: fc.uniqueArray(write, { selector: ({ rk }) => rk, minLength: 1, maxLength: 6 }),
    }),
  },
)

/** One of the two, with every etag that its rows have had. An etag is told by when the row got it, not by what it says. */
class Side {
  readonly #service: TableService
  readonly #table: string
  readonly #etags = new Map<string, string[]>()

  constructor(service: TableService, table: string) {
    this.#service = service
    this.#table = table
  }

  async answer(asked: Act): Promise<unknown> {
    if (asked.act === 'get') {
      const row = await this.#service.get(this.#table, asked.pk, asked.rk)
      return row === null ? null : this.#told(row)
    }
    return asked.act === 'write' ? this.#write(asked) : this.#pages(asked.query)
  }

  async #write({ pk, writes }: Act & { act: 'write' }): Promise<unknown> {
    const all = writes.map(({ known, ...rest }): RowWrite => {
      if (rest.verb === 'insert' || known === 'not') return rest
      const etags = this.#of(pk, rest.rk)
      return { ...rest, etag: etags.at(known === 'now' ? -1 : 0) ?? WRONG }
    })
    const answer: WriteAnswer = await this.#service.write(this.#table, pk, all)
    if (!answer.ok) return answer
    for (const [n, etag] of answer.etags.entries())
      if (etag !== '') this.#of(pk, all[n]?.rk as string).push(etag)
    return answer.etags.map((etag) => etag === '')
  }

  async #pages(query: RowQuery): Promise<unknown> {
    const pages: unknown[] = []
    for (let next: string | null | undefined; next !== null; ) {
      const page = await this.#service.query(this.#table, { ...query, next })
      pages.push(page.rows.map((row) => this.#told(row)))
      next = page.next
    }
    return pages
  }

  #told({ pk, rk, etag, columns }: Row): unknown {
    return { pk, rk, columns, etag: this.#of(pk, rk).indexOf(etag) }
  }

  #of(pk: string, rk: string): string[] {
    const name = `${pk}/${rk}`
    const etags = this.#etags.get(name) ?? []
    this.#etags.set(name, etags)
    return etags
  }
}

const prefix = freshPrefix()
const fake = new FakeTableService(new FakeAccount())
let real: TableService

beforeAll(async () => {
  real = await connectTables((await testTables()).address(prefix), realWorld)
})

afterAll(() => dropTables(prefix))

it('answers anything as the fake does', async () => {
  let tables = 0
  const property = fc.asyncProperty(fc.array(act, { maxLength: MOST_ACTS, size: 'max' }), async (acts) => {
    const table = `Run${++tables}`
    for (const service of [fake, real]) await service.createTables([table])
    const sides = [new Side(fake, table), new Side(real, table)] as const
    for (const one of acts) {
      const [mine, theirs] = [await sides[0].answer(one), await sides[1].answer(one)]
      expect(theirs).toEqual(mine)
    }
  })
  await fc.assert(property, { numRuns: RUNS, ...seed })
})
