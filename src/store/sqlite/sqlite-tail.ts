import type { AloneKind } from '../../core/aggregate.ts'
import type {
  Find,
  JobRow,
  Loaded,
  NextSelect,
  RecordRow,
  Tables,
  Wanted,
  WriteSet,
  Written,
} from '../tables/tables.ts'
import type { PartForm } from '../tables/tail/part-forms.ts'
import type { AppendOptions, CountsUpTo, Folded, Mark, Part, Tail } from '../tables/tail/tail.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** Characters of the tail that are put in their places at once: nobody writes meanwhile. */
const AT_ONCE = 64 * 1024

/** The same where somebody waits for that. */
const FOLDED_AT_ONCE = 1024 * 1024

/** To put it in its place takes the disk from whoever writes. */
const MUCH = 96 * 1024 * 1024
const MOST = 128 * 1024 * 1024

/** Pages that are changed beside those for what is added. */
const PAGES_OF_APPENDED = 2

type SettledTables = Pick<Tables, 'load' | 'headsAfter' | 'findRecords' | 'nextDue'>

/** The end of the log of a file. Whoever adds to it does so at hand: it is one row. */
export class SqliteTail implements Tail {
  /** Nobody waits for long until others have written. */
  readonly apartMs = 0
  readonly atOnce = AT_ONCE
  readonly much = MUCH
  readonly most = MOST
  readonly #file: SqliteFile
  readonly #tables: SettledTables

  constructor(file: SqliteFile, tables: SettledTables) {
    this.#file = file
    this.#tables = tables
  }

  async mark(): Promise<Mark> {
    for (;;) {
      const mark = await this.#file.read(() => this.#file.atHand.mark())
      if (mark !== null) return mark
      await this.fold(FOLDED_AT_ONCE)
    }
  }

  end(): Promise<Mark> {
    return this.#file.read(() => this.#file.atHand.end())
  }

  isAwaited(): Promise<boolean> {
    return this.#file.read(() => this.#file.atHand.isAwaited())
  }

  async append(set: WriteSet, after: Mark, options: AppendOptions): Promise<Written> {
    const file = this.#file
    file.mustWork()
    // Whoever is writing in the thread is done in a moment.
    while (file.isThreadWriting) await file.threadDone()
    const characters = await file.unlessBusy(() => file.atHand.append(set, after, options))
    const places = set.chunk?.places ?? 0
    const { at, records, removed } = file.head
    const head = { seq: after.seq + places, at: Math.max(at, set.at), records: records + places, removed }
    const write = { head, owes: false, turn: after.turn }
    const written = await file.lasting(write, set, options.onSeen, characters)
    file.wrotePages(PAGES_OF_APPENDED)
    file.wroteCharacters(characters)
    return written
  }

  /** Whatever needs it is written after it. */
  async keepForm(form: PartForm): Promise<void> {
    while (this.#file.isThreadWriting) await this.#file.threadDone()
    await this.#file.unlessBusy(() => this.#file.atHand.keepForm(form))
  }

  since(mark: Mark): Promise<readonly Part[] | null> {
    return this.#file.read(() => this.#file.atHand.since(mark))
  }

  fold(characters: number): Promise<Folded> {
    return this.#file.fold(characters)
  }

  async settled(): Promise<void> {
    if (!(await this.#file.read(() => this.#file.atHand.hasTail()))) return
    while (!(await this.fold(FOLDED_AT_ONCE)).isAll);
  }

  load(wanted: Wanted): Promise<Loaded> {
    return this.#tables.load(wanted)
  }

  headsAfter(select: NextSelect): Promise<readonly (readonly JobRow[])[]> {
    return this.#tables.headsAfter(select)
  }

  findRecords(kind: AloneKind, query: Find): Promise<readonly RecordRow[]> {
    return this.#tables.findRecords(kind, query)
  }

  nextDue(): Promise<number | null> {
    return this.#tables.nextDue()
  }

  async counts(): Promise<CountsUpTo> {
    const few = await this.#file.read(() => this.#file.atHand.countsUpTo())
    return few ?? this.#file.askToRead('countsUpTo')
  }
}
