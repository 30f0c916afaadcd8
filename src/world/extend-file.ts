import { closeSync, fdatasyncSync, fstatSync, openSync, writeSync } from 'node:fs'

/**
 * Fills a file with zeros behind its end, up to so many bytes and durably. Answers whether there was anything to fill. To write over what
 * is there takes the disk less than to make a file longer, each time that it is synced.
 */
export function extendFile(path: string, bytes: number, most: number): boolean {
  const fd = openSync(path, 'r+')
  try {
    const { size } = fstatSync(fd)
    const left = Math.min(bytes - size, most)
    if (left <= 0) return false
    const zeros = Buffer.alloc(left)
    for (let written = 0; written < left; )
      written += writeSync(fd, zeros, written, left - written, size + written)
    fdatasyncSync(fd)
    return true
  } finally {
    closeSync(fd)
  }
}
