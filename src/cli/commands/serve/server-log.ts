// What a server has to say while it runs. Off a terminal: JSON lines of pino on the error stream, since the output has the
// address and the link, for whoever reads them. On a terminal: a line for people, as other commands have them. Either way
// nothing secret gets through: names that secrets have, and texts that look like some, at every depth.
import type { Json } from '../../../core/json.ts'
import { redactJson, redactText } from '../../../ledger/redact.ts'
import type { Logger } from '../../../world/logger.ts'
import type { Session } from '../../session.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Fields of fields, and causes of errors; what is deeper is not for a log. */
const MOST_DEPTH = 6
/** Items of a list, names of an object. */
const MOST_ITEMS = 100
const LONGEST_TEXT = 20_000

/** Where the lines of pino go. */
interface LineSink {
  write(line: string): void
}

export async function serverLog(session: Session, level: LogLevel, sink?: LineSink): Promise<Logger> {
  const { notes, isJson } = session
  if (notes.stream.isTerminal && !isJson && sink === undefined) return terminalLog(session, level)
  const { pino } = await import('pino')
  const log: Logger = pino(
    {
      level,
      base: { pid: process.pid },
      // The name of the level says more than its number.
      formatters: { level: (label) => ({ level: label }), log: cleaned },
      timestamp: pino.stdTimeFunctions.isoTime,
      // Errors are made plain, and secrets taken out of them, before pino sees them.
      serializers: { err: (error) => error },
      hooks: {
        logMethod(args, method) {
          method.apply(this, args.map((arg) => (typeof arg === 'string' ? redactText(arg) : arg)) as never)
        },
      },
    },
    // At once: what a process says last is what one wants to know when it ended.
    sink ?? pino.destination({ dest: 2, sync: true }),
  )
  return log
}

function terminalLog({ notes }: Session, level: LogLevel): Logger {
  const say = (at: LogLevel, kind: 'hint' | 'warn') => (fields: object, message: string) => {
    if (LOG_LEVELS.indexOf(at) < LOG_LEVELS.indexOf(level)) return
    const { error, err = error } = fields as { readonly error?: unknown; readonly err?: unknown }
    const why = err instanceof Error ? `: ${err.message}` : ''
    notes[kind](redactText(`${message}${why}`), cleaned(fields)).catch(() => {})
  }
  return {
    debug: say('debug', 'hint'),
    info: say('info', 'hint'),
    warn: say('warn', 'warn'),
    error: say('error', 'warn'),
  }
}

/** As plain data, without anything secret. */
function cleaned(fields: object): Record<string, unknown> {
  return redactJson(plain(fields, MOST_DEPTH), redactText) as Record<string, unknown>
}

function plain(value: unknown, depth: number): Json {
  switch (typeof value) {
    case 'string':
      return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value
    case 'number':
    case 'boolean':
      return value
    case 'bigint':
      return String(value)
    case 'object':
      return value === null ? null : plainObject(value, depth)
    default:
      return null
  }
}

function plainObject(value: object, depth: number): Json {
  if (depth === 0) return '…'
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item) => plain(item, depth - 1))
  if (value instanceof Error) return plainError(value, depth)
  if (value instanceof Date) return value.toJSON()
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(
    fields.slice(0, MOST_ITEMS).map(([name, field]) => [name, plain(field, depth - 1)]),
  )
}

function plainError(error: Error & { readonly code?: unknown }, depth: number): Json {
  const { name, message, stack, code, cause } = error
  return {
    type: name,
    message: plain(message, 1),
    ...(code === undefined ? null : { code: plain(code, 1) }),
    ...(stack === undefined ? null : { stack: plain(stack, 1) }),
    ...(cause === undefined ? null : { cause: plain(cause, depth - 1) }),
  }
}
