// What the server and the driver say, in the ledger's own words.
import {
  DatabaseFailed,
  DatabaseMissing,
  LoginRefused,
  NotPermitted,
  ServerDiskFull,
  ServerUnavailable,
} from '../../errors/postgres-errors.ts'
import { WaybillError } from '../../errors/waybill-error.ts'
import { Conflict } from '../tables/tables.ts'
import { TAIL_STATE } from './migrations/tail.ts'
import { CONFLICT_STATE, STRANGER_STATE } from './migrations/write-function.ts'

export const UNIQUE_STATE = '23505'

/** Somebody else was faster, or has what is needed: deciding again is right. */
const CONFLICTS = new Set([
  CONFLICT_STATE,
  STRANGER_STATE,
  TAIL_STATE,
  UNIQUE_STATE,
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
])

/** The connection is gone, or about to be. */
const LOST = new Set([
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  '53300', // too_many_connections
])

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
])

/** As node-postgres puts it, without a code. */
const SAID_OF_LOST =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout expired)/

/** A statement that was prepared is not there, or is there already: on another connection than one's own. */
const UNPREPARED =
  'Every transaction seems to get another connection, as from pgbouncer in transaction mode: add ?prepare=false&listen=false to the URL.'

/** The SQLSTATE; undefined when it was not the server that said so. */
export function sqlState(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { readonly code?: unknown; readonly severity?: unknown }
  return typeof code === 'string' && typeof severity === 'string' ? code : undefined
}

/** Nobody can be asked on this connection any more; what was asked may or may not have been done. */
export function isLost(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== undefined) return LOST.has(state) || state.startsWith('08')
  if (error instanceof AggregateError) return error.errors.some(isLost)
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  return NETWORK.has(code as string) || (typeof message === 'string' && SAID_OF_LOST.test(message))
}

export function translated(error: unknown, address: string): Error {
  if (error instanceof WaybillError || error instanceof Conflict) return error
  const state = sqlState(error)
  if (state === undefined) return isLost(error) ? new ServerUnavailable(address, error) : (error as Error)
  if (CONFLICTS.has(state)) return new Conflict((error as Error).message, { cause: error })
  if (LOST.has(state) || state.startsWith('08')) return new ServerUnavailable(address, error)
  switch (state) {
    case '28P01':
    case '28000':
      return new LoginRefused(address, error)
    case '3D000':
      return new DatabaseMissing(address, error)
    case '42501':
    case '25006':
      return new NotPermitted(address, error)
    case '53100':
      return new ServerDiskFull(address, error)
    case '26000':
    case '42P05':
      return new DatabaseFailed(address, error, UNPREPARED)
    default:
      return new DatabaseFailed(address, error)
  }
}
