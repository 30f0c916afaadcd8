import type { DiskFile } from '../../world/disk.ts'
import { closed } from '../disk-error.ts'
import { type Deed, sync, truncate, write, writeThrough } from './deeds.ts'
import type { DiskOperation } from './operation.ts'
import type { StoredFile } from './stored-file.ts'

/** What a file needs of the disk that it is on. */
export interface Platter {
  file(id: number): StoredFile
  /** Looks at something; rejects when the power goes before the caller has heard of it. */
  look<T>(what: () => T): Promise<T>
  perform(operation: Omit<DiskOperation, 'n'>, deed: Deed): Promise<void>
}

/** An open file on a disk that may lose power. Writes are copied: callers may use their buffer again. */
export class CrashFile implements DiskFile {
  readonly #platter: Platter
  readonly #id: number
  #open = true

  constructor(platter: Platter, id: number) {
    this.#platter = platter
    this.#id = id
  }

  size(): Promise<number> {
    return this.#platter.look(() => this.#file.current.size)
  }

  read(position: number, length: number): Promise<Uint8Array> {
    return this.#platter.look(() => this.#file.current.read(position, length))
  }

  async write(position: number, bytes: Uint8Array): Promise<void> {
    const { path } = this.#file
    await this.#platter.perform(
      { op: 'write', path, bytes: bytes.length },
      write(this.#id, position, new Uint8Array(bytes)),
    )
  }

  async writeThrough(position: number, bytes: Uint8Array): Promise<void> {
    const { path } = this.#file
    await this.#platter.perform(
      { op: 'writeThrough', path, bytes: bytes.length },
      writeThrough(this.#id, position, new Uint8Array(bytes)),
    )
  }

  async truncate(size: number): Promise<void> {
    const { path } = this.#file
    await this.#platter.perform({ op: 'truncate', path, bytes: size }, truncate(this.#id, size))
  }

  async sync(): Promise<void> {
    const { path } = this.#file
    await this.#platter.perform({ op: 'sync', path }, sync(this.#id))
  }

  close(): Promise<void> {
    return this.#platter.look(() => {
      this.#open = false
    })
  }

  get #file(): StoredFile {
    const file = this.#platter.file(this.#id)
    if (!this.#open) throw closed(file.path)
    return file
  }
}
