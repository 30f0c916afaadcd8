import type { Protocol } from '../core/job/protocol.ts'
import { FileNotFound } from '../errors/file-errors.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import type { Disk } from '../world/disk.ts'

/** Largest file of protocols that is read. */
const LARGEST_BYTES = 16 * 1024 * 1024

/** Protocols as they are given: a list of them, or a file of JSON with one. What they say is checked when registered. */
export async function protocolsOf(
  given: readonly Protocol[] | string | undefined,
  disk: Disk,
): Promise<readonly Protocol[]> {
  if (given === undefined) return []
  const protocols = typeof given === 'string' ? await readProtocols(given, disk) : given
  if (Array.isArray(protocols)) return protocols
  throw new InvalidInput(
    'protocols',
    'protocols must be a list',
    'Give [protocol, …], or { "protocols": [protocol, …] }.',
  )
}

async function readProtocols(file: string, disk: Disk): Promise<unknown> {
  const reader = await disk.openToRead(file)
  if (reader === null) throw new FileNotFound(file, 'Give a file of JSON with a list of protocols.')
  try {
    const size = await reader.size()
    if (size > LARGEST_BYTES) {
      throw new InvalidInput('protocols', `${file} is larger than ${LARGEST_BYTES} bytes`, 'Split it.')
    }
    return listIn(JSON.parse(Buffer.from(await reader.read(0, size)).toString()))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const message = `${file} is not JSON: ${error.message}`
    throw InvalidInput.by(error, 'protocols', message, 'Correct the file.')
  } finally {
    await reader.close()
  }
}

/** A file may have room for other things beside its protocols. */
function listIn(content: unknown): unknown {
  return typeof content === 'object' && content !== null && 'protocols' in content
    ? content.protocols
    : content
}
