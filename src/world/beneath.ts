// Names beneath a folder, none of which may be a link. Looking first and opening then would not do: in between anybody who
// may write there can put a link in. So each folder is opened by its own name from the one before, without following links,
// and stays open; Linux shows what is open under /proc/self/fd, and a name in there is a name in that folder, wherever it
// has been moved since. Where there is no such thing each name is looked at before it is used: the best that can be done.
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { NotPlain, type PlaceBeneath } from './file-system.ts'

const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Whether names can be had from open folders. */
const HAS_OPEN_FOLDERS = process.platform === 'linux'

/** What the system says of a link, or of a file where a folder should be. */
const NOT_PLAIN = new Set(['ELOOP', 'ENOTDIR', 'EMLINK', 'EISDIR', 'ENXIO'])

type Use<Answer> = (path: string, shown: string) => Promise<Answer>

/**
 * Calls with a path for the last name, which is in the folder that was meant for as long as the call takes. Folders on the
 * way are made when they are not there.
 */
export function withNameBeneath<Answer>(place: PlaceBeneath, use: Use<Answer>): Promise<Answer> {
  return withName(place, use, openOrMake)
}

/** The same, where nothing is made. */
export function withNameFoundBeneath<Answer>(place: PlaceBeneath, use: Use<Answer>): Promise<Answer> {
  return withName(place, use, openFolder)
}

async function withName<Answer>(
  { folder, path }: PlaceBeneath,
  use: Use<Answer>,
  openNext: typeof openFolder,
): Promise<Answer> {
  const names = path.split('/')
  const last = names.pop() ?? ''
  if ([...names, last].some((name) => name === '' || name === '.' || name === '..')) {
    throw new NotPlain(`${path} is not a plain relative path`)
  }
  let shown = folder
  let at = await openFolder(folder, folder)
  try {
    for (const name of names) {
      shown = join(shown, name)
      const next = await openNext(nameIn(at, name), shown)
      await at.handle.close()
      at = next
    }
    shown = join(shown, last)
    return await plainly(shown, () => use(nameIn(at, last), shown))
  } finally {
    await at.handle.close()
  }
}

interface OpenFolder {
  readonly handle: FileHandle
  readonly path: string
}

function nameIn({ handle, path }: OpenFolder, name: string): string {
  return HAS_OPEN_FOLDERS ? `/proc/self/fd/${handle.fd}/${name}` : join(path, name)
}

async function openFolder(path: string, shown: string): Promise<OpenFolder> {
  return await plainly(shown, async () => {
    // Without open folders a path goes through names that were looked at a moment ago; here is the last look.
    if (!HAS_OPEN_FOLDERS && (await lstat(path)).isSymbolicLink()) throw new NotPlain(`${shown} is a link`)
    return { handle: await open(path, OPEN_FOLDER), path }
  })
}

async function openOrMake(path: string, shown: string): Promise<OpenFolder> {
  try {
    return await openFolder(path, shown)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  await mkdir(path).catch((error: unknown) => {
    // Somebody else was faster; what they made is looked at like anything else.
    if (codeOf(error) !== 'EEXIST') throw error
  })
  return await openFolder(path, shown)
}

async function plainly<Answer>(shown: string, call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    if (!NOT_PLAIN.has(codeOf(error))) throw error
    throw new NotPlain(`${shown} is a link, or not what it should be (${codeOf(error)})`, { cause: error })
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}
