import { FileNotFound } from '../../errors/file-errors.ts'

/** Stands for the standard input wherever a file is asked for. */
const STANDARD_INPUT = '-'

/** So much of a file is read at once. */
const CHUNK_BYTES = 256 * 1024

/** What is in a file, or comes in on the standard input, as it is read. */
export async function* inputChunks(path: string): AsyncGenerator<Uint8Array> {
  if (path === STANDARD_INPUT) {
    for await (const chunk of process.stdin) yield chunk
    return
  }
  const { realWorld } = await import('../../world/world.ts')
  const reader = await realWorld.disk.openToRead(path)
  if (reader === null)
    throw new FileNotFound(path, 'Look for a misspelt name, or give - for the standard input.')
  try {
    for (let at = 0; ; ) {
      const chunk = await reader.read(at, CHUNK_BYTES)
      if (chunk.length === 0) return
      at += chunk.length
      yield chunk
    }
  } finally {
    await reader.close()
  }
}
