import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readlink } from 'node:fs/promises'

/** What a file was like at a time, to tell later whether it was changed. */
export interface FileMark {
  readonly kind: 'file' | 'link' | 'folder' | 'other' | 'missing'
  /** Everything that a write changes, the time of the last change included. */
  readonly stamp: string
  readonly isExecutable: boolean
  readonly size: number
}

/** Looks at a file, and not at what it links to. A path is given as bytes: not every file name is text. */
export async function markFile(path: Uint8Array): Promise<FileMark> {
  const found = await lstat(Buffer.from(path), { bigint: true }).catch(() => null)
  if (found === null) return { kind: 'missing', stamp: '', isExecutable: false, size: 0 }
  const kind = found.isFile()
    ? 'file'
    : found.isSymbolicLink()
      ? 'link'
      : found.isDirectory()
        ? 'folder'
        : 'other'
  return {
    kind,
    stamp: [found.dev, found.ino, found.mode, found.size, found.mtimeNs, found.ctimeNs].join(' '),
    isExecutable: kind === 'file' && (found.mode & 0o100n) !== 0n,
    size: Number(found.size),
  }
}

/** A hash of what is in a file, or of where a link points to; null when it cannot be read. */
export async function hashFile(path: Uint8Array, kind: FileMark['kind']): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    if (kind === 'link') hash.update(await readlink(Buffer.from(path), { encoding: 'buffer' }))
    else if (kind === 'file') for await (const part of createReadStream(Buffer.from(path))) hash.update(part)
    else return null
    return hash.digest('hex')
  } catch {
    return null
  }
}
