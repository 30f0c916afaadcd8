import { basename, dirname } from 'node:path'
import type { Disk, DiskFile, DiskLock, DiskOpenOptions, DiskReader } from '../world/disk.ts'
import type { Random } from '../world/random.ts'
import { CrashFile, type Platter } from './crash/crash-file.ts'
import * as deeds from './crash/deeds.ts'
import { DiskState } from './crash/disk-state.ts'
import { rollLuck } from './crash/luck.ts'
import type { Moment } from './crash/moment.ts'
import { type DiskOperation, PowerLost } from './crash/operation.ts'
import { FOLDER } from './crash/stored-names.ts'
import { diskError, exists, isFolder, missing } from './disk-error.ts'
import { SeededRandom } from './seeded-random.ts'

export interface CrashDiskOptions {
  /** The operation, counted from 1, that does not come to its end because the power goes. */
  readonly crashAt?: number
  /** Asked before every operation; a code, such as `EIO` or `ENOSPC`, makes it fail. */
  readonly faults?: (operation: DiskOperation) => string | null
  /** Decides how far an operation got that failed, or during which the process was killed. */
  readonly seed?: number
}

/** When everything took place that the process before this one did. */
const BEFORE: Moment = { n: 0, heardOf: 0 }

/**
 * A disk in memory that can lose power, fail and fill up.
 *
 * It knows what a program sees and what the disk has for certain. `afterCrash` is the disk when the power is back: what
 * was not synced may be there, or not, or in part, as the dice say. `afterKill` is the disk when only the process ended.
 * Both leave this one as it is, so that many crashes can be tried from one place.
 *
 * - `sync` is for data and size of one file, `writeThrough` for the bytes it writes, `syncFolder` for names. None of them
 *   does the work of another, and none is sure to cover what was still under way when it was called.
 * - A `sync` that fails has lost what it was to write. The next one will not say so.
 * - Operations take place in the order in which they are asked for. Those that change nothing are not counted.
 */
export class CrashDisk implements Disk {
  readonly #options: CrashDiskOptions
  readonly #operations: DiskOperation[] = []
  readonly #locked = new Set<number>()
  #state = new DiskState()
  #heardOf = 0
  #power = true
  #interrupted: { readonly deed: deeds.Deed; readonly n: number } | null = null

  constructor(options: CrashDiskOptions = {}) {
    this.#options = options
  }

  /** What was done so far, the operation during which the power went included. */
  get operations(): readonly DiskOperation[] {
    return this.#operations
  }

  get hasPower(): boolean {
    return this.#power
  }

  /** Takes the power away, here and now. */
  losePower(): void {
    this.#power = false
  }

  /** The disk as it is found when the power comes back. */
  afterCrash(random: Random, options: CrashDiskOptions = {}): CrashDisk {
    const state = this.#interrupted === null ? this.#state : this.#state.copy()
    this.#interrupted?.deed.begun(state, BEFORE, 1)
    return CrashDisk.#with(state.surviving(random), options)
  }

  /**
   * The disk as the next process finds it when this one was killed. Nothing is lost, and of what was not synced everything
   * can still be, in a crash to come.
   */
  afterKill(options: CrashDiskOptions = {}): CrashDisk {
    const state = this.#state.copy()
    if (this.#interrupted !== null) {
      this.#interrupted.deed.begun(state, BEFORE, this.#partOf(this.#interrupted.n))
    }
    return CrashDisk.#with(state, options)
  }

  /** What programs see: every file by its path. */
  files(): Map<string, Uint8Array> {
    const files = new Map<string, Uint8Array>()
    for (const [path, , { current }] of this.#state.files()) files.set(path, current.read(0, current.size))
    return files
  }

  async open(path: string, { isPrivate = false }: DiskOpenOptions = {}): Promise<DiskFile> {
    if (isPrivate && this.#names.has(path)) throw exists(path)
    return new CrashFile(this.#platter, await this.#idOf(path))
  }

  openToRead(path: string): Promise<DiskReader | null> {
    return this.#look(() => {
      const id = this.#names.get(path)
      if (id === FOLDER) throw isFolder(path)
      return id === undefined ? null : new CrashFile(this.#platter, id)
    })
  }

  list(folder: string): Promise<readonly string[]> {
    return this.#look(() => {
      const paths = [...this.#names.keys()].filter((path) => path !== folder && dirname(path) === folder)
      return paths.map((path) => basename(path)).sort()
    })
  }

  async makeFolder(folder: string): Promise<void> {
    this.#mustHavePower()
    const paths = deeds.missingFolders(this.#state, folder)
    for (const path of paths)
      if (this.#names.has(path)) throw diskError('EEXIST', 'file already exists', path)
    if (paths.length === 0) return await this.#look(() => {})
    await this.#perform({ op: 'makeFolder', path: folder }, deeds.makeFolders(paths))
  }

  async rename(from: string, to: string): Promise<void> {
    this.#mustHavePower()
    const id = this.#names.get(from)
    if (id === undefined) throw missing(from)
    // Nothing here needs to rename folders, and their files would have to move along.
    for (const path of [from, to]) if (this.#names.get(path) === FOLDER) throw isFolder(path)
    this.#mustHaveFolder(dirname(to))
    await this.#perform({ op: 'rename', path: from, to }, deeds.rename(id, from, to))
  }

  async remove(path: string): Promise<void> {
    this.#mustHavePower()
    const id = this.#names.get(path)
    if (id === FOLDER) throw isFolder(path)
    if (id === undefined) return await this.#look(() => {})
    await this.#perform({ op: 'remove', path }, deeds.remove(path))
  }

  async syncFolder(folder: string): Promise<void> {
    this.#mustHavePower()
    this.#mustHaveFolder(folder)
    await this.#perform({ op: 'syncFolder', path: folder }, deeds.syncFolder(folder))
  }

  async lock(path: string): Promise<DiskLock | null> {
    const id = await this.#idOf(path)
    if (this.#locked.has(id)) return null
    this.#locked.add(id)
    let held = true
    return {
      release: () =>
        this.#look(() => {
          if (held) this.#locked.delete(id)
          held = false
        }),
    }
  }

  static #with(state: DiskState, options: CrashDiskOptions): CrashDisk {
    const disk = new CrashDisk(options)
    disk.#state = state
    return disk
  }

  get #names(): ReadonlyMap<string, number> {
    return this.#state.names.current
  }

  /** Makes the file when there is none. */
  async #idOf(path: string): Promise<number> {
    this.#mustHavePower()
    const found = this.#names.get(path)
    if (found === FOLDER) throw isFolder(path)
    if (found !== undefined) return await this.#look(() => found)
    this.#mustHaveFolder(dirname(path))
    const id = this.#state.newId()
    await this.#perform({ op: 'create', path }, deeds.create(path, id))
    return id
  }

  #mustHaveFolder(folder: string): void {
    if (this.#names.get(folder) !== FOLDER) throw missing(folder)
  }

  readonly #platter: Platter = {
    file: (id) => this.#state.file(id),
    look: (what) => this.#look(what),
    perform: (operation, deed) => this.#perform(operation, deed),
  }

  async #look<T>(what: () => T): Promise<T> {
    this.#mustHavePower()
    const seen = what()
    await null
    this.#mustHavePower()
    return seen
  }

  async #perform(asked: Omit<DiskOperation, 'n'>, deed: deeds.Deed): Promise<void> {
    this.#mustHavePower()
    const n = this.#operations.length + 1
    const operation = { n, ...asked }
    const moment = { n, heardOf: this.#heardOf }
    this.#operations.push(operation)
    if (n === this.#options.crashAt) {
      this.#interrupted = { deed, n }
      this.losePower()
      throw new PowerLost()
    }
    const fault = this.#options.faults?.(operation) ?? null
    if (fault === null) deed.begun(this.#state, moment, 1)
    else deed.failed(this.#state, moment, this.#partOf(n))
    await null
    // Done or not: when the power is gone, whoever asked for it will never hear.
    this.#mustHavePower()
    this.#heardOf = n
    if (fault !== null) throw diskError(fault, `${operation.op} failed`, operation.path)
    deed.confirmed(this.#state, moment)
  }

  #mustHavePower(): void {
    if (!this.#power) throw new PowerLost()
  }

  /** How much of an operation is done that does not come to its end. */
  #partOf(n: number): number {
    // Dice of its own for every operation, so that an earlier one does not change what becomes of a later.
    const dice = new SeededRandom((this.#options.seed ?? 1) * 0x9e3779b1 + n)
    const luck = rollLuck(dice)
    return { nothing: 0, everything: 1, some: dice.next() }[luck]
  }
}
