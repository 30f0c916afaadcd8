// The command line without a process of its own, where a test needs many of them: a process takes half a second.
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Notes } from '../../src/cli/output/notes.ts'
import { TextStream } from '../../src/cli/output/text-stream.ts'
import { runIn } from '../../src/cli/run.ts'
import type { Told } from './cli-run.ts'

/** A command line as it is printed, without quotes, or its words; files have to be named by their whole paths. */
export async function runHere(line: string | readonly string[]): Promise<Told> {
  const argv = typeof line === 'string' ? line.replace(/^waybill /, '').split(' ') : line
  const out = new PassThrough()
  const errors = new PassThrough()
  const color = false
  const json = argv.includes('--json')
  const notes = new Notes(streamOn(errors), { json, quiet: false })
  const written = Promise.all([text(out), text(errors)])
  const status = await runIn({ out: streamOn(out), notes, color, onSession: () => {} }, argv)
  out.end()
  errors.end()
  const [stdout, stderr] = await written
  return { status, stdout, stderr }
}

function streamOn(stream: PassThrough): TextStream {
  return new TextStream(stream as unknown as NodeJS.WriteStream, { color: false })
}
