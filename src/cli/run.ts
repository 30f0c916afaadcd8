import type { Command } from 'commander'
import { systemTimers } from '../world/timers.ts'
import { CommandLineError } from './command-line-error.ts'
import type { CommandSpec } from './define-command.ts'
import { describeError } from './describe-error.ts'
import { Notes } from './output/notes.ts'
import { OutputClosed, TextStream } from './output/text-stream.ts'
import { createProgram } from './program.ts'
import { type GlobalOptions, Session } from './session.ts'

/** What a shell expects of a program that a signal ended: 128 and its number. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Where a command writes to, and who is told of its session before it begins. */
export interface Surroundings {
  readonly out: TextStream
  readonly notes: Notes
  readonly color: boolean
  readonly onSession: (session: Session) => void
}

/** Runs one command line. The process ends by itself, with `process.exitCode`, when everything is written. */
export async function run(argv: readonly string[]): Promise<void> {
  const { json, color, quiet } = flagsOf(argv)
  const out = new TextStream(process.stdout, { color })
  const notes = new Notes(new TextStream(process.stderr, { color }), { json, quiet })
  sayWarnings(notes)
  forgetEmpty('LEDGER', 'ACTOR', 'TENANT', 'PROTOCOLS', 'WORKER', 'IN_FLIGHT_LIMIT')
  const exitCode = await runIn({ out, notes, color, onSession: closeWhenStopped }, argv)
  if (exitCode !== null) process.exitCode = exitCode
}

/** Answers how the process has to end; null when a signal ends it. */
export async function runIn(
  { out, notes, color, onSession }: Surroundings,
  argv: readonly string[],
): Promise<number | null> {
  const current: { session: Session | null } = { session: null }
  const runner = async (spec: CommandSpec, command: Command) => {
    const session = new Session(command.optsWithGlobals<GlobalOptions>(), out, notes)
    current.session = session
    onSession(session)
    try {
      await spec.run(session, command.optsWithGlobals<GlobalOptions>(), command.processedArgs)
    } finally {
      await session.close()
    }
    await out.finish()
  }
  try {
    await createProgram(runner, { color }).parseAsync(argv, { from: 'user' })
    return current.session?.exitCode ?? 0
  } catch (error) {
    // A command whose ledger was closed under it has nothing to say; the signal ends the process.
    if (current.session?.isStopped === true) return null
    return tell(error, current.session, notes).catch(endQuietly)
  }
}

/** Node warns developers of what is experimental in Node, which is nothing that users can do anything about. */
function sayWarnings(notes: Notes): void {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') void notes.warn(message).catch(() => {})
  })
}

/** A variable that is set to nothing is as good as not set. */
function forgetEmpty(...names: readonly string[]): void {
  for (const name of names) if (process.env[`WAYBILL_${name}`] === '') delete process.env[`WAYBILL_${name}`]
}

/** Before the command line is understood, because what is wrong with it has to be told in the right way, too. */
function flagsOf(argv: readonly string[]): { json: boolean; color: boolean; quiet: boolean } {
  const end = argv.indexOf('--')
  const options = end === -1 ? argv : argv.slice(0, end)
  return {
    json: options.includes('--json'),
    color: !options.includes('--no-color'),
    quiet: options.includes('--quiet'),
  }
}

/** Says what went wrong, and answers how the process has to end. */
async function tell(error: unknown, session: Session | null, notes: Notes): Promise<number> {
  if (error instanceof OutputClosed) return 0
  if (error instanceof CommandLineError && error.mistake === null) return error.exitCode
  const cause = error instanceof CommandLineError ? error.mistake : error
  const { exitCode, told } = describeError(cause, session)
  await notes.error(told)
  if (told.stack !== undefined && !session?.isJson) await notes.stream.line(told.stack)
  return exitCode
}

/** When nobody reads the errors either, there is nobody to tell. */
function endQuietly(error: unknown): number {
  if (error instanceof OutputClosed) return 0
  throw error
}

/**
 * A command that goes on until somebody stops it is asked to end; any other is cut off when what it wrote is durable.
 * Whoever presses Ctrl-C once more does not want to wait.
 */
function closeWhenStopped(session: Session): void {
  let times = 0
  for (const [signal, exitCode] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      times++
      if (times === 1 && session.askToEnd()) {
        const ms = session.endWithinMs
        // One that has ended in good order, and is only held up by what somebody's module left behind, has its own code.
        if (ms !== null) systemTimers.after(ms, () => process.exit(process.exitCode ?? exitCode))
        return
      }
      if (times > 1) process.exit(exitCode)
      void session.stop().finally(() => process.exit(exitCode))
    })
  }
}
