import { DiskFull, WriterFailed } from '../../errors/journal-errors.ts'
import type { WaybillError } from '../../errors/waybill-error.ts'
import type { Pending } from '../live/pending.ts'
import { BatchBuffer } from './batch-buffer.ts'
import type { DeltaWriter } from './delta/delta-writer.ts'

/** Decisions wait for room when so much is waiting to be written. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024

/** With so many lines the disk may as well begin, while the rest is still being decided. */
const LEAST_WORTH_WRITING = 64

/** What an unusually large batch took is not kept for later ones. */
const MOST_SPARE_BYTES = 4 * 1024 * 1024

/** What was written together. */
export interface WrittenBatch {
  readonly firstSeq: number
  readonly lastSeq: number
  /** Where in the delta it begins and ends. */
  readonly at: number
  readonly end: number
  readonly commits: readonly Pending[]
  /** How many records of the history are in it. */
  readonly records: number
}

interface Outlet {
  readonly folder: string
  /** In the order in which they were decided, before any caller learns of it. */
  durable(batch: WrittenBatch): void
  /** Everything pending was not written, and will not be: it is to be taken back, the newest first. */
  failed(commits: readonly Pending[]): void
}

/**
 * One write for everyone who is waiting. While a batch is being written the next one fills; it is written when
 * the first is safe, never before, so that a crash can only ever cut off the last one.
 *
 * A write that fails takes all that is pending with it, since later decisions were made on earlier ones. When the
 * disk is full that is all, and the next commit tries again. After any other failure nobody knows what the disk
 * holds, and this writer never writes again.
 */
export class GroupCommit {
  readonly #outlet: Outlet
  #writer: DeltaWriter
  #filling: Batch
  #writing: Batch | null = null
  /** What the last batch was written from: filling new memory is slower. */
  #spare: Buffer | undefined
  #failure: WaybillError | null = null
  #scheduled = false
  /**
   * Half of what is under way, if that is more: whoever was just answered is likely to come back, and the disk and
   * we are both busy all the time when one half is being written while the other is being decided.
   */
  #linesWorthWriting = LEAST_WORTH_WRITING
  /** The last batch was of one commit, and nobody came while it was written. */
  #isLone = false
  /** Something else has the file now: a new one is being started, or what failed is being taken back. */
  #paused = false
  readonly #turns: (() => void)[] = []
  #held: Promise<void> | null = null

  constructor(writer: DeltaWriter, nextSeq: number, outlet: Outlet) {
    this.#writer = writer
    this.#outlet = outlet
    this.#filling = new Batch(nextSeq)
  }

  /** Why it does not write any more. */
  get failure(): WaybillError | null {
    return this.#failure
  }

  get writer(): DeltaWriter {
    return this.#writer
  }

  /** The seq that the next commit begins with. */
  get nextSeq(): number {
    return this.#filling.nextSeq
  }

  /** Where the lines of the next commit are to be written, before it is added. */
  get buffer(): BatchBuffer {
    return this.#filling.buffer
  }

  /** The commit that was just written, and takes so many places in the log. Resolves when it is durable. */
  add(places: number, commit: Pending, records = places): Promise<void> {
    const batch = this.#filling
    batch.nextSeq += places
    batch.records += records
    batch.commits.push(commit)
    if (this.#writing === null) {
      if (batch.buffer.lines >= this.#linesWorthWriting) this.#flush()
      else if (!this.#scheduled) this.#flushSoon()
    }
    return batch.done.promise
  }

  /** Resolves when everything decided so far is durable; null when it is. */
  durable(): Promise<void> | null {
    if (this.#filling.commits.length > 0) return this.#filling.done.promise
    return this.#writing?.done.promise ?? null
  }

  /** Nothing more is decided until then. */
  hold(until: Promise<void>): void {
    this.#held = until
    void until.then(() => {
      if (this.#held === until) this.#held = null
    })
  }

  /** Resolves when there is room for more; null when there is. */
  room(): Promise<void> | null {
    if (this.#held !== null) return this.#held
    return this.#filling.buffer.size < MOST_WAITING_BYTES ? null : this.#filling.done.promise.catch(() => {})
  }

  /** Does something with the file between two batches. A writer that failed is not touched again. */
  async between<T>(task: (writer: DeltaWriter) => Promise<T>): Promise<T> {
    while (this.#writing !== null || this.#paused) await new Promise<void>((turn) => this.#turns.push(turn))
    if (this.#failure !== null) throw this.#failure
    this.#paused = true
    try {
      return await task(this.#writer)
    } finally {
      this.#goOn()
    }
  }

  /** Nobody knows any more what the disk holds: nothing is written from now on. Call it in `between`. */
  poison(cause: unknown): WaybillError {
    const failure = new WriterFailed(this.#outlet.folder, cause)
    this.#failure = failure
    this.#discard(failure)
    return failure
  }

  /** Goes on in another file. Call it in `between`. */
  switchTo(writer: DeltaWriter): void {
    this.#writer = writer
  }

  /** After everything that is waiting to run has run: whoever was just answered may have more to write. */
  #flushSoon(): void {
    this.#scheduled = true
    process.nextTick(() => {
      this.#scheduled = false
      this.#flush()
    })
  }

  #flush(): void {
    if (this.#writing !== null || this.#paused || this.#failure !== null) return
    const batch = this.#filling
    if (batch.commits.length === 0) return
    this.#writing = batch
    this.#filling = new Batch(batch.nextSeq, this.#spare)
    this.#spare = undefined
    const at = this.#writer.end
    this.#writer.append(batch.buffer.finish(), this.#isLone && batch.commits.length === 1).then(
      () => this.#succeed(batch, at),
      (error: unknown) => this.#fail(batch, error),
    )
  }

  #succeed(batch: Batch, at: number): void {
    const { firstSeq, nextSeq, commits, records, buffer } = batch
    // Still writing as far as anybody knows: whoever wants the file in answer to this has to wait for a turn.
    this.#outlet.durable({ firstSeq, lastSeq: nextSeq - 1, at, end: this.#writer.end, commits, records })
    this.#writing = null
    this.#isLone = commits.length === 1 && this.#filling.commits.length === 0
    this.#linesWorthWriting = Math.max(LEAST_WORTH_WRITING, (buffer.lines + this.#filling.buffer.lines) / 2)
    if (buffer.bytes.length <= MOST_SPARE_BYTES) this.#spare = buffer.bytes
    batch.done.resolve()
    this.#goOn()
  }

  #fail(batch: Batch, cause: unknown): void {
    const { folder } = this.#outlet
    const behind = this.#filling
    this.#filling = new Batch(batch.firstSeq)
    this.#outlet.failed([...batch.commits, ...behind.commits])
    this.#writing = null
    this.#paused = true
    const tell = (error: WaybillError) => {
      batch.done.reject(error)
      behind.done.reject(error)
      this.#goOn()
    }
    if ((cause as NodeJS.ErrnoException)?.code === 'ENOSPC') {
      this.#writer.takeBack().then(
        // Not earlier: all of it may be there, and would be found after a crash by whoever was told that it is not.
        () => tell(new DiskFull(folder, cause)),
        (failed: unknown) => tell(this.poison(failed)),
      )
    } else {
      this.#failure = new WriterFailed(folder, cause)
      tell(this.#failure)
    }
  }

  #discard(failure: WaybillError): void {
    const { firstSeq, commits, done } = this.#filling
    this.#filling = new Batch(firstSeq)
    this.#outlet.failed(commits)
    done.reject(failure)
  }

  #goOn(): void {
    this.#paused = false
    const turn = this.#turns.shift()
    if (turn !== undefined) turn()
    else if (this.#filling.commits.length > 0) this.#flushSoon()
  }
}

class Batch {
  readonly firstSeq: number
  nextSeq: number
  records = 0
  readonly commits: Pending[] = []
  readonly done: PromiseWithResolvers<void> = Promise.withResolvers()
  readonly buffer: BatchBuffer

  constructor(firstSeq: number, bytes?: Buffer) {
    this.firstSeq = firstSeq
    this.nextSeq = firstSeq
    this.buffer = new BatchBuffer(firstSeq, bytes)
    // Whoever is concerned waits for it; nobody has to be.
    this.done.promise.catch(() => {})
  }
}
