import { type BigIntStats, constants, type Stats } from 'node:fs'
import { access, type FileHandle, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { withNameBeneath, withNameFoundBeneath } from './beneath.ts'
import { type AppendedFile, type FileKind, type FileSystem, NotPlain, type ReadFile } from './file-system.ts'
import { systemIds } from './ids.ts'

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants

/** Not waiting: a pipe with nobody at its other end would keep whoever opens it for ever. */
const APPEND = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK
const READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
const MAKE = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW

/** What tools print may be anybody's business or not: it is left to the mask of the process, less what all may write. */
const MODE = 0o644

export const nodeFileSystem: FileSystem = {
  async kindOf(path) {
    return await orWhenMissing(async () => kindOf(await lstat(path)))
  },
  async realPath(path) {
    return await orWhenMissing(() => realpath(path))
  },
  async isExecutable(path) {
    try {
      await access(path, constants.X_OK)
      return (await stat(path)).isFile()
    } catch {
      return false
    }
  },
  async appendBeneath(place) {
    return await withNameBeneath(place, async (path, shown) => {
      const handle = await open(path, APPEND, MODE)
      return appendedFile(handle, await plainFile(handle, shown))
    })
  },
  async readBeneath(place) {
    return await orWhenMissing(() =>
      withNameFoundBeneath(place, async (path, shown) => {
        const handle = await open(path, READ)
        return readFile(handle, await plainFile(handle, shown))
      }),
    )
  },
  async writeBeneath(place, bytes) {
    await withNameBeneath(place, async (path) => {
      const unfinished = `${path}.${systemIds.next()}.unfinished`
      try {
        await using handle = await open(unfinished, MAKE, MODE)
        await handle.writeFile(bytes)
        await handle.sync()
        await rename(unfinished, path)
      } catch (error) {
        await rm(unfinished, { force: true })
        throw error
      }
    })
  },
}

/** A second name may be one outside, and what is written here would be written there. What will not do is closed again. */
async function plainFile(handle: FileHandle, shown: string): Promise<BigIntStats> {
  try {
    const facts = await handle.stat({ bigint: true })
    if (!facts.isFile()) throw new NotPlain(`${shown} is not a plain file`)
    if (facts.nlink > 1n) throw new NotPlain(`${shown} has another name elsewhere: it is a hard link`)
    return facts
  } catch (error) {
    await handle.close()
    throw error
  }
}

function appendedFile(handle: FileHandle, { size }: BigIntStats): AppendedFile {
  return {
    size: Number(size),
    append: (bytes) => handle.appendFile(bytes),
    close: () => handle.close(),
  }
}

function readFile(handle: FileHandle, { dev, ino, size, birthtimeNs }: BigIntStats): ReadFile {
  return {
    // The number of a file that is gone is given to another one.
    identity: [dev, ino, birthtimeNs].join(' '),
    size: Number(size),
    async read(from, length) {
      const bytes = Buffer.allocUnsafe(length)
      let filled = 0
      while (filled < length) {
        const { bytesRead } = await handle.read(bytes, filled, length - filled, from + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return bytes.subarray(0, filled)
    },
    close: () => handle.close(),
  }
}

function kindOf(facts: Stats): FileKind {
  if (facts.isFile()) return 'file'
  if (facts.isDirectory()) return 'folder'
  return facts.isSymbolicLink() ? 'link' : 'other'
}

async function orWhenMissing<Found>(find: () => Promise<Found>): Promise<Found | null> {
  try {
    return await find()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
