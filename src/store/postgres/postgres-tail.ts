import type { AloneKind } from '../../core/aggregate.ts'
import type { CountEntry } from '../live/state-counts.ts'
import type {
  Find,
  Head,
  JobRow,
  Loaded,
  NextSelect,
  RecordRow,
  Wanted,
  WriteSet,
  Written,
} from '../tables/tables.ts'
import type { PartForm } from '../tables/tail/part-forms.ts'
import { setIn } from '../tables/tail/part-text.ts'
import type { AppendOptions, CountsUpTo, Folded, Mark, Part, Tail } from '../tables/tail/tail.ts'
import type { Query } from './link.ts'
import type { WriteLane } from './write-lane.ts'

/** Others may go on writing in place for so long. */
const APART_MS = 1000

/** Put where it is found at once: to begin takes as long as to do so with a tenth of it, and others go on adding meanwhile. */
const FOLDED_AT_ONCE = 1024 * 1024

/** The same where somebody waits for all of it. */
const CLEARED_AT_ONCE = 4 * 1024 * 1024

/** The server has other processors for that. */
const MUCH = 192 * 1024 * 1024
const MOST = 256 * 1024 * 1024

/** Times that it is tried to leave nothing in the tail, while others go on adding to it. */
const MOST_FOLDS = 1000

/** The last place of the log, with what is in the tail. */
export const endOf = (s: string): string =>
  `COALESCE((SELECT t.first_seq + t.places - 1 FROM ${s}.tail t ORDER BY t.first_seq DESC LIMIT 1), h.seq)`

const timeOf = (s: string): string =>
  `greatest(h.at, (SELECT t.at FROM ${s}.tail t ORDER BY t.first_seq DESC LIMIT 1))`

/** More than most programs have. */
const MOST_FORMS = 1000

export interface PostgresTailOptions {
  /** Quoted. */
  readonly schema: string
  /** The one connection by which this process adds to it. */
  readonly lane: WriteLane
  readonly read: <R extends object>(query: Query) => Promise<readonly R[]>
  readonly load: (wanted: Wanted) => Promise<Loaded>
  readonly headsAfter: (select: NextSelect) => Promise<readonly (readonly JobRow[])[]>
  readonly findRecords: (kind: AloneKind, query: Find) => Promise<readonly RecordRow[]>
  readonly nextDue: Query
  readonly onWritten: (head: Head) => void
}

export class PostgresTail implements Tail {
  readonly apartMs = APART_MS
  readonly atOnce = FOLDED_AT_ONCE
  readonly much = MUCH
  readonly most = MOST
  readonly #s: string
  readonly #options: PostgresTailOptions
  /** The end of the log as far as this process knows it. */
  #head: Head = { seq: 0, at: 0, records: 0, removed: 0 }

  constructor(options: PostgresTailOptions) {
    this.#s = options.schema
    this.#options = options
  }

  async head(): Promise<Head> {
    const s = this.#s
    const text = `SELECT ${endOf(s)} AS seq, ${timeOf(s)} AS at, h.records + ${endOf(s)} - h.seq AS records, h.removed FROM ${s}.head h`
    const [head] = await this.#read<Head & object>({ name: 'head', text })
    return this.knows(head as Head)
  }

  knows(head: Head): Head {
    if (head.seq >= this.#head.seq) this.#head = head
    return head
  }

  async mark(): Promise<Mark> {
    await this.clear()
    const [mark] = await this.#read<Mark & object>({ text: `SELECT h.turn, h.seq FROM ${this.#s}.head h` })
    return mark as Mark
  }

  async end(): Promise<Mark> {
    const text = `SELECT h.turn, ${endOf(this.#s)} AS seq FROM ${this.#s}.head h`
    const [mark] = await this.#read<Mark & object>({ name: 'end', text })
    return mark as Mark
  }

  async isAwaited(): Promise<boolean> {
    const text = `SELECT EXISTS (SELECT 1 FROM ${this.#s}.wait) AS is_awaited`
    return (await this.#read<{ is_awaited: boolean }>({ text }))[0]?.is_awaited === true
  }

  async append(set: WriteSet, after: Mark, options: AppendOptions): Promise<Written> {
    await this.#options.lane.append(set, after, options)
    const places = set.chunk?.places ?? 0
    const { at, records, removed } = this.#head
    const head = { seq: after.seq + places, at: Math.max(at, set.at), records: records + places, removed }
    this.knows(head)
    this.#options.onWritten(head)
    return { head, owes: false, turn: after.turn }
  }

  /** Nothing is kept that there is already. */
  async keepForm({ id, text }: PartForm): Promise<void> {
    const values = [id, text]
    const into = `${this.#s}.form`
    await this.#read({
      text: `INSERT INTO ${into} (id, text) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
      values,
    })
    const found = await this.#read({ text: `SELECT 1 FROM ${into} WHERE id = $1 AND text = $2`, values })
    if (found.length === 0) throw new Error(`the form ${id} is another one`)
  }

  async since({ turn, seq }: Mark): Promise<readonly Part[] | null> {
    const s = this.#s
    const text = `SELECT h.turn, h.seq, t.first_seq, t.part FROM ${s}.head h
      LEFT JOIN ${s}.tail_now t ON t.first_seq > $1 ORDER BY t.first_seq`
    const rows = await this.#read<TailRow>({ name: 'since', text, values: [seq] })
    const [row] = rows
    if (row === undefined || row.turn !== turn || row.seq > seq) return null
    return rows.flatMap(({ first_seq, part }) =>
      first_seq === null || part === null ? [] : [{ first_seq, set: setIn(part) }],
    )
  }

  /**
   * Whatever it did becomes durable with the next commit that waits for the disk, before that is answered. One that need not wait lets
   * go at once of what keeps others from adding to the tail.
   */
  async fold(bytes: number, mayReturn = false): Promise<Folded> {
    const text = `SELECT ${this.#s}.fold($1) AS folded`
    const query = mayReturn
      ? { name: 'fold-soon', text: `${text} FROM set_config('synchronous_commit', 'off', true)` }
      : { name: 'fold', text }
    const [row] = await this.#read<{ folded: readonly number[] }>({ ...query, values: [Math.round(bytes)] })
    const [seq = 0, isAll = 0] = row?.folded ?? []
    return { seq, isAll: isAll === 1, mayReturn }
  }

  /** Until there is nothing left, or others add more than can be put elsewhere; only then it waits for the disk. */
  async clear(): Promise<void> {
    for (let folds = 0; folds < MOST_FOLDS && !(await this.fold(CLEARED_AT_ONCE, true)).isAll; folds++);
    await this.fold(FOLDED_AT_ONCE)
  }

  /** Very many of them. */
  async removeForms(): Promise<void> {
    await this.#read({ text: `SELECT ${this.#s}.remove_forms($1)`, values: [MOST_FORMS] })
  }

  /** What is in the way of a write in place: whoever adds to it is to do the same for a while. */
  async give(): Promise<void> {
    await this.#read({ text: `SELECT ${this.#s}.end_appends('', 0)` })
    await this.clear()
  }

  /** Whatever is read sees to that itself. */
  async settled(): Promise<void> {}

  load(wanted: Wanted): Promise<Loaded> {
    return this.#options.load(wanted)
  }

  async nextDue(): Promise<number | null> {
    const [row] = await this.#read<{ due_at: number | null }>(this.#options.nextDue)
    return row?.due_at ?? null
  }

  async counts(): Promise<CountsUpTo> {
    const s = this.#s
    const text = `SELECT h.seq, c.tenant_id, c.kind, c.state, c.n FROM ${s}.head h LEFT JOIN ${s}.state_count c ON c.n <> 0`
    const rows = await this.#read<CountEntry & { readonly seq: number }>({ name: 'counts-up-to', text })
    return { seq: rows[0]?.seq ?? 0, counts: rows.filter(({ kind }) => kind !== null) }
  }

  headsAfter(select: NextSelect): Promise<readonly (readonly JobRow[])[]> {
    return this.#options.headsAfter(select)
  }

  findRecords(kind: AloneKind, query: Find): Promise<readonly RecordRow[]> {
    return this.#options.findRecords(kind, query)
  }

  #read<R extends object>(query: Query): Promise<readonly R[]> {
    return this.#options.read<R>(query)
  }
}

interface TailRow extends Mark {
  readonly first_seq: number | null
  readonly part: string | null
}
