import type { Row, RowPage, RowQuery, RowWrite, TableService, WriteAnswer } from './service.ts'
import { IDEMPOTENCY, INDEX, JOBS, OUTBOX } from './table-names.ts'
import { fitsAtOnce } from './write-groups.ts'

/** Tables in which many who know nothing of each other write to one partition. */
const SHARED: ReadonlySet<string> = new Set([JOBS, OUTBOX, IDEMPOTENCY])

interface Call {
  readonly writes: readonly RowWrite[]
  /** A write that it was part of may have been done, though it was refused. */
  isUnsure: boolean
  readonly resolve: (answer: WriteAnswer) => void
  readonly reject: (error: unknown) => void
}

/**
 * A service that writes what several want to write to one partition at once, while another write to it is under way: so many
 * jobs of one tenant cost few requests. Each of them is still answered by itself: one that is refused is left out, and the
 * others are written without it.
 */
export class GroupedWrites implements TableService {
  readonly #service: TableService
  /** Who waits for the partitions that are being written to. */
  readonly #waiting = new Map<string, Call[]>()

  constructor(service: TableService) {
    this.#service = service
  }

  get(table: string, pk: string, rk: string): Promise<Row | null> {
    return this.#service.get(table, pk, rk)
  }

  query(table: string, query: RowQuery): Promise<RowPage> {
    return this.#service.query(table, query)
  }

  createTables(tables: readonly string[]): Promise<void> {
    return this.#service.createTables(tables)
  }

  close(): Promise<void> {
    return this.#service.close()
  }

  write(table: string, pk: string, writes: readonly RowWrite[]): Promise<WriteAnswer> {
    if (!isShared(table, writes)) return this.#service.write(table, pk, writes)
    return new Promise((resolve, reject) => {
      const call = { writes, isUnsure: false, resolve, reject }
      const name = `${table}\n${pk}`
      const waiting = this.#waiting.get(name)
      if (waiting !== undefined) {
        waiting.push(call)
        return
      }
      this.#waiting.set(name, [])
      void this.#writeAll(table, pk, [call])
    })
  }

  async #writeAll(table: string, pk: string, first: readonly Call[]): Promise<void> {
    const name = `${table}\n${pk}`
    const waiting = this.#waiting.get(name) as Call[]
    for (let calls = first; calls.length > 0; calls = nextOf(waiting)) {
      await this.#writeGroup(table, pk, calls)
    }
    this.#waiting.delete(name)
  }

  async #writeGroup(table: string, pk: string, calls: readonly Call[]): Promise<void> {
    let left = calls
    while (left.length > 0) {
      try {
        const answer = await this.#service.write(
          table,
          pk,
          left.flatMap(({ writes }) => writes),
        )
        if (answer.ok) {
          tell(left, answer.etags)
          return
        }
        left = without(left, answer)
      } catch (error) {
        for (const { reject } of left) reject(error)
        return
      }
    }
  }
}

/** What is removed from a lane is removed by others: whoever it belongs to writes its own row every time. */
function isShared(table: string, writes: readonly RowWrite[]): boolean {
  return SHARED.has(table) || (table === INDEX && writes.every(({ verb }) => verb === 'delete'))
}

function tell(calls: readonly Call[], etags: readonly string[]): void {
  let from = 0
  for (const { writes, resolve } of calls) {
    resolve({ ok: true, etags: etags.slice(from, from + writes.length) })
    from += writes.length
  }
}

/** The one at fault is told; the others are written without it. */
function without(
  calls: readonly Call[],
  answer: Extract<WriteAnswer, { readonly ok: false }>,
): readonly Call[] {
  let from = 0
  const left: Call[] = []
  for (const call of calls) {
    call.isUnsure ||= answer.unsure
    const at = answer.at - from
    from += call.writes.length
    if (at >= 0 && at < call.writes.length) call.resolve({ ...answer, at, unsure: call.isUnsure })
    else left.push(call)
  }
  return left
}

/** As many as fit into one write; no row can be in it twice. */
function nextOf(waiting: Call[]): readonly Call[] {
  const calls: Call[] = []
  const rows = new Set<string>()
  const writes: RowWrite[] = []
  while (waiting[0] !== undefined) {
    const [call] = waiting
    const isTwice = call.writes.some(({ rk }) => rows.has(rk))
    if (calls.length > 0 && (isTwice || !fitsAtOnce([...writes, ...call.writes]))) break
    waiting.shift()
    calls.push(call)
    writes.push(...call.writes)
    for (const { rk } of call.writes) rows.add(rk)
  }
  return calls
}
