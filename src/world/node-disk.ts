import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import type { Disk, DiskFile } from './disk.ts'

const READ_WRITE_CREATE = constants.O_RDWR | constants.O_CREAT

export const nodeDisk: Disk = {
  async open(path) {
    return new NodeFile(await open(path, READ_WRITE_CREATE, 0o644))
  },
  async list(folder) {
    try {
      return (await readdir(folder)).sort()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  },
  async makeFolder(folder) {
    await mkdir(folder, { recursive: true })
  },
  rename,
  remove: (path) => rm(path, { force: true }),
  async syncFolder(folder) {
    await using handle = await open(folder, constants.O_RDONLY)
    await handle.sync()
  },
}

class NodeFile implements DiskFile {
  readonly #handle: FileHandle

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, length - filled, position + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  }

  async write(position: number, bytes: Uint8Array): Promise<void> {
    let written = 0
    while (written < bytes.length) {
      const part = await this.#handle.write(bytes, written, bytes.length - written, position + written)
      written += part.bytesWritten
    }
  }

  truncate(size: number): Promise<void> {
    return this.#handle.truncate(size)
  }

  sync(): Promise<void> {
    return this.#handle.datasync()
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}
