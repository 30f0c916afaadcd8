import { randomFillSync } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'

const DEVICE = '/dev/urandom'

/**
 * Bytes that nobody can foresee, from the system itself where it has them as a file: `node:crypto` takes five milliseconds to load,
 * and who starts for one job needs nothing else of it.
 */
export function fillRandom(bytes: Uint8Array): void {
  if (!isFilled(bytes)) randomFillSync(bytes)
}

function isFilled(bytes: Uint8Array): boolean {
  if (process.platform === 'win32') return false
  try {
    const fd = openSync(DEVICE, 'r')
    try {
      return readSync(fd, bytes, 0, bytes.length, null) === bytes.length
    } finally {
      closeSync(fd)
    }
  } catch {
    return false
  }
}
