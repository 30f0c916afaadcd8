import { constants, type Stats } from 'node:fs'
import { access, type FileHandle, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { withNameBeneath } from './beneath.ts'
import { type AppendedFile, type FileKind, type FileSystem, NotPlain } from './file-system.ts'
import { systemIds } from './ids.ts'

const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants

/** Not waiting: a pipe with nobody at its other end would keep whoever opens it for ever. */
const APPEND = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK
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
      try {
        return appendedFile(await plainFile(handle, shown))
      } catch (error) {
        await handle.close()
        throw error
      }
    })
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

/** A second name may be one outside, and what is written here would be written there. */
async function plainFile(handle: FileHandle, shown: string): Promise<FileHandle> {
  const facts = await handle.stat()
  if (!facts.isFile()) throw new NotPlain(`${shown} is not a plain file`)
  if (facts.nlink > 1) throw new NotPlain(`${shown} has another name elsewhere: it is a hard link`)
  return handle
}

function appendedFile(handle: FileHandle): AppendedFile {
  return {
    append: (bytes) => handle.appendFile(bytes),
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
