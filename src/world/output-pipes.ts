// What Node calls a pipe is a pair of sockets, and Linux does not open those by name: a script that writes to /dev/stderr
// works everywhere but there. So what programs print into is a real pipe. Node cannot make one, but it can use one that has
// a name; the name is gone again before anybody gets to see it.
import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'

const run = promisify(execFile)

const NEEDS_PIPES = process.platform === 'linux'

/** Not waiting for whoever is going to write. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK

export interface OutputPipe {
  readonly reader: Readable
  /** To be given to a program, and closed here. */
  readonly writer: number
}

/** One for each stream; null where there can be none, or need not be. */
export async function outputPipes(): Promise<readonly [OutputPipe, OutputPipe] | null> {
  if (!NEEDS_PIPES) return null
  let folder: string | null = null
  try {
    // Nobody but us may look into it.
    folder = await mkdtemp(join(tmpdir(), 'waybill-pipes-'))
    const [out, err] = [join(folder, 'out'), join(folder, 'err')]
    await run('mkfifo', ['-m', '600', out, err], { env: { PATH: '/usr/bin:/bin' } })
    return opened(out, err)
  } catch {
    // No room, or no such program: then it is as Node has it.
    return null
  } finally {
    if (folder !== null) await rm(folder, { recursive: true, force: true })
  }
}

function opened(out: string, err: string): readonly [OutputPipe, OutputPipe] {
  const files: number[] = []
  try {
    // Whoever is to read comes first: opening for writing would wait for it.
    for (const path of [out, err]) files.push(openSync(path, READ), openSync(path, constants.O_WRONLY))
  } catch (error) {
    for (const file of files) closeSync(file)
    throw error
  }
  const [outReader, outWriter, errReader, errWriter] = files as [number, number, number, number]
  return [
    { reader: readerOf(outReader), writer: outWriter },
    { reader: readerOf(errReader), writer: errWriter },
  ]
}

function readerOf(fd: number): Readable {
  return new Socket({ fd, readable: true, writable: false })
}
