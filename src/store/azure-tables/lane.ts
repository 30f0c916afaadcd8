import { fromIso, toIso } from '../../core/time.ts'
import type { CountEntry } from '../live/state-counts.ts'
import type { JobsEtags, Receipt } from './azure-cell.ts'
import type { NextRow } from './cell-rows.ts'
import { countsOfRow } from './lane-counts.ts'
import { isCountRow, LANE_ITSELF, LANE_ROW, laneKey, lineKey } from './lane-rows.ts'
import { type LaneState, type LaneWrite, laneWrite } from './lane-write.ts'
import { type Line, partOf, type Told } from './line-columns.ts'
import { whole } from './long-columns.ts'
import type { Row, RowWrite, TableService } from './service.ts'
import { INDEX } from './table-names.ts'

/** What one change has to be put into a lane. */
export interface LaneEntry extends Omit<Told, 'changes' | 'wakes'> {
  /** The change that is finished with it; null when none is. */
  readonly change: string | null
  readonly counts: readonly CountEntry[]
  /** How the rows of its jobs are known by now. */
  readonly jobs?: JobsEtags | undefined
  /** Rows of the index to be put, and to be removed. */
  readonly adds: readonly NextRow[]
  readonly drops: readonly string[]
  /** Records of the history that go with the lines that are removed. */
  readonly retires?: number | undefined
}

export const NOTHING_TOLD = {
  change: null,
  entries: [],
  touched: [],
  after: {},
  counts: [],
  adds: [],
  drops: [],
} as const satisfies LaneEntry

/** Somebody else writes to the lane now, or may: it has to be taken again. */
export class LaneLost extends Error {}

interface Waiting {
  readonly entry: LaneEntry
  readonly resolve: (receipt: Receipt) => void
  readonly reject: (error: unknown) => void
}

export interface LaneOptions {
  readonly service: TableService
  readonly number: number
  /** Who writes to it from now on. */
  readonly owner: string
  /** Unlike that of anybody else who takes it, also of the same owner at another time. */
  readonly id: string
  readonly time: () => number
  /** Is told of every line as soon as it is durable. */
  readonly onLine: (line: Line) => void
}

const MOST_TRIES = 20
/** Entries of the history, and changes, that are written at once. */
const MOST_ENTRIES = 2000
const MOST_CHANGES = 40
/** Characters of history that are: each may take three bytes, and the service takes four million. */
const MOST_CHARS = 1_000_000

const NEW_LANE: LaneState = { seq: 0, at: 0, records: 0, removed: 0, seen: {}, counts: new Map() }

/**
 * One lane, for as long as this process writes to it. What several changes have to be put there while a write is under way
 * is written together; the next write begins when the one before is durable.
 */
export class Lane {
  readonly number: number
  readonly #options: LaneOptions
  readonly #pk: string
  #etag: string | null = null
  #state = NEW_LANE
  #flushes = 0
  #waiting: Waiting[] = []
  #writing: Promise<void> | null = null
  #isLost = false

  private constructor(options: LaneOptions) {
    this.#options = options
    this.number = options.number
    this.#pk = laneKey(options.number)
  }

  /** Takes the lane over from whoever wrote to it before: from now on they cannot. */
  static async take(options: LaneOptions): Promise<Lane> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const lane = new Lane(options)
      await lane.#read()
      if (await lane.#write([])) return lane
    }
    throw new LaneLost(`lane ${options.number} is fought over`)
  }

  /** The last line that is written. */
  get seq(): number {
    return this.#state.seq
  }

  get state(): LaneState {
    return this.#state
  }

  get isLost(): boolean {
    return this.#isLost
  }

  /** Resolves with the line when it is durable. */
  write(entry: LaneEntry): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject })
      this.#writing ??= this.#writeAll()
    })
  }

  async idle(): Promise<void> {
    while (this.#writing !== null) await this.#writing
  }

  async #read(): Promise<void> {
    const counts = new Map<string, ReturnType<typeof countsOfRow>[1]>()
    for (let next: string | undefined; ; ) {
      const { from: rkFrom, before: rkBefore } = LANE_ITSELF
      const page = await this.#options.service.query(INDEX, { pk: this.#pk, rkFrom, rkBefore, next })
      for (const row of page.rows) {
        if (row.rk === LANE_ROW) this.#know(row)
        else if (isCountRow(row.rk)) counts.set(...countsOfRow(row))
      }
      if (page.next === null) break
      next = page.next
    }
    this.#state = { ...this.#state, counts }
  }

  #know(row: Row): void {
    this.#etag = row.etag
    this.#state = { ...stateOfRow(row), counts: this.#state.counts }
  }

  async #writeAll(): Promise<void> {
    // Whoever asks at the same time is written at the same time.
    await null
    while (this.#waiting.length > 0) {
      const some = this.#nextGroup()
      try {
        const receipts = await this.#writeGroup(some.map(({ entry }) => entry))
        for (const [n, { resolve }] of some.entries()) resolve(receipts[n] as Receipt)
      } catch (error) {
        // What became of it is not known: whoever takes the lane again reads how far it is.
        this.#isLost = true
        for (const { reject } of some) reject(error)
      }
    }
    this.#writing = null
  }

  #nextGroup(): readonly Waiting[] {
    let entries = 0
    let chars = 0
    let count = 0
    for (const { entry } of this.#waiting) {
      entries += entry.entries.length
      chars += JSON.stringify(entry.entries).length
      if (count > 0 && (count === MOST_CHANGES || entries > MOST_ENTRIES || chars > MOST_CHARS)) break
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async #writeGroup(entries: readonly LaneEntry[]): Promise<readonly Receipt[]> {
    const write = laneWrite(this.number, this.#state, entries, this.#options.time())
    for (const rows of write.early) await this.#mustWrite(rows)
    await this.#mustWrite(write.main, write)
    for (const line of write.lines) this.#options.onLine(line)
    const { at } = write.next
    // The line is there. What is no longer true goes when somebody comes upon it, should the lane be lost by now.
    for (const rows of write.late) this.#isLost ||= !(await this.#write(rows))
    return write.places.map((seq) => ({ lane: this.number, seq, at }))
  }

  async #mustWrite(rows: readonly RowWrite[], write: LaneWrite | null = null): Promise<void> {
    if (this.#isLost || !(await this.#write(rows, write?.next, write?.lines[0]))) {
      throw new LaneLost(`somebody else writes to lane ${this.number}`)
    }
  }

  /** False when somebody else has written the lane's own row. */
  async #write(rows: readonly RowWrite[], next = this.#state, line?: Line): Promise<boolean> {
    const { service, id } = this.#options
    const flush = `${id} ${++this.#flushes}`
    let left = rows
    for (;;) {
      const answer = await service.write(INDEX, this.#pk, [this.#laneRow(next, flush), ...left])
      if (answer.ok) {
        this.#etag = answer.etags[0] as string
        this.#state = next
        return true
      }
      // Somebody has removed already what was to be removed.
      if (answer.why === 'missing' && answer.at > 0) left = left.toSpliced(answer.at - 1, 1)
      else if (!answer.unsure) return false
      else {
        const row = await service.get(INDEX, this.#pk, LANE_ROW)
        return this.#isOurs(row, flush, next) || this.#isThere(line, next)
      }
    }
  }

  /** The answer was lost, and a second try found the first one there. */
  #isOurs(row: Row | null, flush: string, next: LaneState): boolean {
    if (row?.columns.flush !== flush) return false
    this.#etag = row.etag
    this.#state = next
    return true
  }

  /** The same, and then somebody has taken the lane: what was told must not be told again elsewhere. */
  async #isThere(line: Line | undefined, next: LaneState): Promise<boolean> {
    if (line === undefined) return false
    const row = await this.#options.service.get(INDEX, this.#pk, lineKey(line.seq))
    if (row === null || !line.changes.some(([change]) => partOf(row, change) !== undefined)) return false
    this.#isLost = true
    this.#state = next
    return true
  }

  #laneRow({ seq, at, records, removed, seen }: LaneState, flush: string): RowWrite {
    const { owner } = this.#options
    const columns = { owner, flush, seq, at: toIso(at), records, removed, seen: JSON.stringify(seen) }
    return this.#etag === null
      ? { verb: 'insert', rk: LANE_ROW, columns }
      : { verb: 'put', rk: LANE_ROW, columns, etag: this.#etag }
  }
}

/** What a lane's own row says; counts have rows of their own. */
export function stateOfRow(row: Row): LaneState {
  const columns = whole(row.columns)
  return {
    seq: columns.seq as number,
    at: fromIso(columns.at as string),
    records: columns.records as number,
    removed: columns.removed as number,
    seen: JSON.parse(columns.seen as string),
    counts: new Map(),
  }
}
