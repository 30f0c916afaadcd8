import { basename, dirname } from 'node:path'
import type { Disk, DiskFile } from '../world/disk.ts'

/** A disk in memory that keeps everything: for tests that need a disk, not for tests of losing one. */
export class MemoryDisk implements Disk {
  readonly #files = new Map<string, { bytes: Uint8Array }>()
  readonly #folders = new Set<string>(['/', '.'])

  async open(path: string): Promise<DiskFile> {
    if (this.#folders.has(path)) throw failed('EISDIR', 'illegal operation on a directory', path)
    let file = this.#files.get(path)
    if (file === undefined) {
      this.#mustHaveFolder(dirname(path))
      file = { bytes: new Uint8Array(0) }
      this.#files.set(path, file)
    }
    return new MemoryFile(file)
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

  #mustHaveFolder(folder: string): void {
    if (!this.#folders.has(folder)) throw missing(folder)
  }
}

/** Refuses everything after `close`, as a real one does: a test must notice. */
class MemoryFile implements DiskFile {
  #open: { bytes: Uint8Array } | null

  constructor(file: { bytes: Uint8Array }) {
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
    if (this.#open === null) throw Object.assign(new Error('file closed'), { code: 'EBADF' })
    return this.#open
  }
}

function missing(path: string): Error {
  return failed('ENOENT', 'no such file or directory', path)
}

function failed(code: string, what: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${what}, '${path}'`), { code })
}
