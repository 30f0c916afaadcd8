import { debuglog } from 'node:util'
import type { JsonObject } from '../core/json.ts'
import { nearestOf } from '../errors/nearest-of.ts'
import { withoutPasswords } from '../errors/shown-url.ts'
import { WaybillError } from '../errors/waybill-error.ts'
import { shownAddress } from '../store/azure-tables/address.ts'
import { WHERE_PROTOCOLS_ARE } from './options/protocols.ts'
import { isSealedHistory } from './output/finding-text.ts'
import type { Session } from './session.ts'

/** An error as a user is told. */
export interface ToldError {
  readonly code: string
  readonly message: string
  readonly next: string | null
  readonly field: string | null
  readonly details: JsonObject
  readonly stack?: string
}

const FAILED = 1

/** What to do about an error of the system. */
const SYSTEM: { readonly [code: string]: string } = {
  ENOENT: 'Look for a misspelt name in the path; the folder has to be there.',
  EACCES: 'Look who owns the file and who may write to it, or run this as that user.',
  EPERM: 'Look who owns the file and who may write to it, or run this as that user.',
  EROFS: 'The disk is mounted for reading only: mount it for writing, or give another place.',
  ENOSPC: 'Make room on the disk and try again.',
  EMFILE: 'Too many files are open: raise the limit with ulimit -n and try again.',
}

export function describeError(
  error: unknown,
  session: Session | null,
): { exitCode: number; told: ToldError } {
  if (error instanceof WaybillError) {
    const { code, message, field = null, details } = error
    const next = session === null ? error.next : (nextOf(error, session) ?? error.next)
    return { exitCode: error.exitCode, told: shown({ code, message, next, field, details }) }
  }
  const { code, message, stack } = error instanceof Error ? (error as NodeJS.ErrnoException) : wrapped(error)
  const isVerbose = debuglog('waybill').enabled
  const told = {
    code: code ?? 'UNEXPECTED',
    message,
    next:
      SYSTEM[code ?? ''] ??
      (isVerbose ? null : 'This should not happen. NODE_DEBUG=waybill shows where it does.'),
    field: null,
    details: {},
    ...(isVerbose && stack !== undefined ? { stack } : null),
  }
  return { exitCode: FAILED, told: shown(told) }
}

/** Whoever wrote a message may have quoted a URL as it was given, and what is printed ends up in logs. */
function shown({ message, next, details, ...told }: ToldError): ToldError {
  return {
    ...told,
    message: withoutPasswords(message),
    next: next === null ? null : withoutPasswords(next),
    details: JSON.parse(withoutPasswords(JSON.stringify(details))),
  }
}

/** Where the library speaks to programmers, the command line has a command. */
function nextOf({ code, details }: WaybillError, session: Session): string | null {
  switch (code) {
    case 'UNKNOWN_REQUEST_TYPE':
      if (session.serverUrl !== null)
        return `${knownTypes(details.known as readonly string[])} ${SERVERS_OWN}`
      return `${knownTypes(details.known as readonly string[])} ${WHERE_PROTOCOLS_ARE}`
    case 'UNKNOWN_ADAPTER':
      return unknownAdapter(String(details.tool), details.known as readonly string[])
    case 'IN_FLIGHT_LIMIT':
      if (session.serverUrl !== null)
        return `Wait for some to end; how many there may be is said where the server is started. What is open: ${session.hintOf('jobs list --open')}`
      return `Wait for some to end, or let there be more with --in-flight-limit. What is open: ${session.hintOf('jobs list --open')}`
    case 'LEDGER_LOCKED':
      return lockedNext(details, session)
    case 'UNKNOWN_PATH':
      return session.serverUrl === null
        ? null
        : 'The server leaves this out: start it without --no-admin, or with the same version of Waybill.'
    case 'LEDGER_DAMAGED':
      // A database is not ours to repair: the error itself says what to do.
      if (details.file === undefined) return null
      if (isSealedHistory(String(details.file))) {
        return `This part of the history can only come back from a backup. All that is wrong: ${session.hintOf('ledger verify')}`
      }
      return `It can be read up to there. To write again: ${session.hintOf('ledger repair')}. What is taken out is kept.`
    case 'NOT_A_LEDGER':
      return isThisLedger(details, session) ? `Make one: ${session.hintOf('init')}` : null
    case 'SCHEMA_TOO_OLD':
      return `Bring it up to date, as a user who may change tables: ${session.hintOf('init')}. What that does: waybill ledger sql postgres --from ${details.found}`
    case 'HISTORY_GONE':
      return 'Ask for a later time.'
    case 'BAD_CURSOR':
      return 'Give --after what the last page printed, with the same filters and order; or leave it out.'
    default:
      return null
  }
}

const SERVERS_OWN = 'They are those of the server: start it with --protocols FILE.'

function lockedNext({ server }: JsonObject, session: Session): string {
  if (server === null) return 'Wait for that process, or end it. Commands that only read work beside it.'
  return session.insteadOfLock ?? 'A server has it: end that first, and start it again afterwards.'
}

/** Of a database; a folder says itself what to do about it. An account of Azure has more than one way to be written. */
function isThisLedger({ address }: JsonObject, { shownLedger, options }: Session): boolean {
  if (address === undefined) return false
  return address === (/^azure-tables:/i.test(options.ledger) ? shownAddress(options.ledger) : shownLedger)
}

function knownTypes(known: readonly string[]): string {
  return known.length === 0 ? 'There are no protocols here.' : `Known are: ${known.join(', ')}.`
}

function unknownAdapter(tool: string, known: readonly string[]): string {
  const meant = nearestOf(tool, known)
  const guess = meant === null ? '' : `Did you mean ${meant}? `
  return `${guess}Known are: ${known.join(', ')}. Others come from --adapters MODULE; any program runs as the tool command.`
}

function wrapped(error: unknown): NodeJS.ErrnoException {
  return new Error(String(error), { cause: error })
}
