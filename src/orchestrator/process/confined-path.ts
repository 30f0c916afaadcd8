import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { PathEscapes } from '../../errors/tool-errors.ts'
import type { FileSystem } from '../../world/file-system.ts'

/** Longest name of a file or folder, on every system that is of any interest. */
const LONGEST_NAME_BYTES = 255

/** A path of a job and the field it stands in, which errors name. */
export interface GivenPath {
  readonly field: string
  readonly path: string
}

/**
 * Where a path really leads, which must be inside the root; the root itself is inside. It need not be there: then its deepest
 * part that is must be inside, and what follows is plain. The root must be real.
 */
export async function confinedPath(given: GivenPath, root: string, files: FileSystem): Promise<string> {
  const { field, path } = given
  const refuse = (why: string, cause?: unknown) => new PathEscapes(field, path, why, { cause })
  if (path === '') throw refuse('is empty')
  if (path.includes('\0')) throw refuse('has a NUL character')
  // What `a/..` is depends on whether `a` is a link: nobody can mean it for certain.
  if (path.split(/[\\/]/).includes('..')) throw refuse('has ".." in it')
  // Found only when it is written otherwise, after the folders on the way were made.
  if (path.split(sep).some((name) => Buffer.byteLength(name) > LONGEST_NAME_BYTES)) {
    throw refuse('has a name in it that is too long')
  }
  const absolute = resolve(root, path)
  // An absolute path may be written by way of links that are above the root; whatever it is, it is what it really is.
  if (!isAbsolute(path) && !isInside(root, absolute)) throw refuse('leads out of the repository')
  const real = await realOrNew(absolute, files).catch((error: unknown) => {
    throw refuse(`cannot be followed: ${whyOf(error)}`, error)
  })
  if (real === null) throw refuse('is a link that leads nowhere')
  if (!isInside(root, real)) throw refuse(`leads out of the repository, to ${real}`)
  return real
}

/** The real path; where there is nothing yet, that of the folder with the names that are missing. Null for a dead link. */
async function realOrNew(absolute: string, files: FileSystem): Promise<string | null> {
  const missing: string[] = []
  for (let path = absolute; ; path = resolve(path, '..')) {
    const real = await files.realPath(path)
    if (real !== null) return join(real, ...missing)
    if ((await files.kindOf(path)) === 'link') return null
    missing.unshift(path.slice(path.lastIndexOf(sep) + 1))
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** Whether it is git's own folder, or in one, of whatever repository. Some file systems take `.GIT` for the same. */
export function isGits(root: string, path: string): boolean {
  return relative(root, path)
    .split(sep)
    .some((name) => name.toLowerCase() === '.git')
}

function whyOf(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ELOOP':
      return 'its links go round in circles'
    case 'ENOTDIR':
      return 'a part of it is not a folder'
    case 'ENAMETOOLONG':
      return 'it is too long'
    case 'EACCES':
      return 'a part of it may not be read'
    default:
      return (error as Error).message
  }
}
