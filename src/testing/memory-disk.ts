import { basename, dirname } from 'node:path'
import type { Disk, DiskFile, DiskLock, DiskOpenOptions, DiskReader } from '../world/disk.ts'
import { closed, exists, isFolder, missing } from './disk-error.ts'

/** A disk in memory that keeps everything: for tests that need a disk, not for tests of losing one. */
export class MemoryDisk implements Disk {
  readonly #files = new Map<string, { bytes: Uint8Array }>()
  readonly #folders = new Set<string>(['/', '.'])
  readonly #locked = new Set<string>()

  async open(path: string, { isPrivate = false }: DiskOpenOptions = {}): Promise<DiskFile> {
    if (this.#folders.has(path)) throw isFolder(path)
    let file = this.#files.get(path)
    if (isPrivate && file !== undefined) throw exists(path)
    if (file === undefined) {
      this.#mustHaveFolder(dirname(path))
      file = { bytes: new Uint8Array(0) }
      this.#files.set(path, file)
    }
    return new MemoryFile(path, file)
  }

  async openToRead(path: string): Promise<DiskReader | null> {
    const file = this.#files.get(path)
    return file === undefined ? null : new MemoryFile(path, file)
  }

  async list(folder: string): Promise<readonly string[]> {
    const names = [...this.#files.keys(), ...this.#folders].filter(
      (path) => path !== folder && dirname(path) === folder,
    )
    return names.map((path) => basename(path)).sort()
  }

  async makeFolder(folder: string): Promise<void> {
    for (let path = folder; !this.#folders.has(path); path = dirname(path)) this.#folders.add(path)
  }

  async rename(from: string, to: string): Promise<void> {
    const file = this.#files.get(from)
    if (file === undefined) throw missing(from)
    this.#mustHaveFolder(dirname(to))
    this.#files.delete(from)
    this.#files.set(to, file)
  }

  async remove(path: string): Promise<void> {
    this.#files.delete(path)
  }

  async syncFolder(folder: string): Promise<void> {
    this.#mustHaveFolder(folder)
  }

  async lock(path: string): Promise<DiskLock | null> {
    await (await this.open(path)).close()
    if (this.#locked.has(path)) return null
    this.#locked.add(path)
    let held = true
    return {
      release: async () => {
        if (held) this.#locked.delete(path)
        held = false
      },
    }
  }

  #mustHaveFolder(folder: string): void {
    if (!this.#folders.has(folder)) throw missing(folder)
  }
}

/** Refuses everything after `close`, as a real one does: a test must notice. */
class MemoryFile implements DiskFile {
  readonly #path: string
  #open: { bytes: Uint8Array } | null

  constructor(path: string, file: { bytes: Uint8Array }) {
    this.#path = path
    this.#open = file
  }

  async size(): Promise<number> {
    return this.#file.bytes.length
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    return this.#file.bytes.slice(position, position + length)
  }

  async write(position: number, bytes: Uint8Array): Promise<void> {
    const end = position + bytes.length
    if (end > this.#file.bytes.length) await this.truncate(end)
    this.#file.bytes.set(bytes, position)
  }

  writeThrough(position: number, bytes: Uint8Array): Promise<void> {
    return this.write(position, bytes)
  }

  async truncate(size: number): Promise<void> {
    const bytes = new Uint8Array(size)
    bytes.set(this.#file.bytes.subarray(0, size))
    this.#file.bytes = bytes
  }

  async sync(): Promise<void> {
    void this.#file
  }

  async close(): Promise<void> {
    this.#open = null
  }

  get #file(): { bytes: Uint8Array } {
    if (this.#open === null) throw closed(this.#path)
    return this.#open
  }
}
