import { FileNotFound } from '../../errors/file-errors.ts'
import { InvalidToolJob } from '../../errors/tool-errors.ts'
import type { Disk, DiskReader } from '../../world/disk.ts'
import { jsonMistakeIn } from './json-mistake.ts'
import { parseToolJob, type ToolJob } from './tool-job.ts'

/** Largest job file that is read. */
const LARGEST_BYTES = 1024 * 1024

/** A job from its file. What is wrong is said with the file's name, and the line where it is not JSON. */
export async function readToolJob(file: string, disk: Disk): Promise<ToolJob> {
  const reader = await disk.openToRead(file)
  if (reader === null) throw new FileNotFound(file, 'Give the file of a tool job, in JSON.')
  try {
    return parseToolJob(parsed(file, await contentOf(file, reader)))
  } finally {
    await reader.close()
  }
}

async function contentOf(file: string, reader: DiskReader): Promise<string> {
  const bytes = await reader.read(0, LARGEST_BYTES + 1).catch((error: unknown) => {
    throw refused(file, `cannot be read: ${(error as Error).message}`, error)
  })
  if (bytes.length > LARGEST_BYTES) throw refused(file, `is larger than ${LARGEST_BYTES} bytes`)
  if (bytes.length === 0) throw refused(file, 'is empty')
  try {
    // A mark of the byte order is not part of JSON; it is left in, so that it is found.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw refused(file, 'is not text in UTF-8', error)
  }
}

function parsed(file: string, text: string): unknown {
  const mistake = jsonMistakeIn(text)
  if (mistake !== null) {
    throw refused(`${file}:${mistake.line}:${mistake.column}`, `is not JSON: it ${mistake.message}`)
  }
  return JSON.parse(text)
}

function refused(place: string, message: string, cause?: unknown): InvalidToolJob {
  return new InvalidToolJob([{ field: place, message }], { cause })
}
