// What the service, the SDK and the network say, in the ledger's own words.
import { TableMissing } from '../../errors/azure-errors.ts'
import {
  DatabaseFailed,
  LoginRefused,
  NotPermitted,
  OutcomeUnknown,
  ServerUnavailable,
} from '../../errors/postgres-errors.ts'
import type { WaybillError } from '../../errors/waybill-error.ts'

/** What came of a request that was not done. */
export interface Failure {
  /** Of the answer; null when none came. */
  readonly status: number | null
  /** What the service calls it, or the network. */
  readonly code: string
  readonly text: string
  /** Which of several writes was at fault. */
  readonly at: number
  /** How long the service wants to be left alone, as it puts it. */
  readonly retryAfter: string | undefined
  readonly cause: unknown
}

/** One of several writes was refused, and so none of them was done. */
export class TransactionRefused extends Error {
  override readonly name = 'TransactionRefused'
  readonly status: number
  /** As the service puts it, in JSON. */
  readonly body: string

  constructor(status: number, body: string) {
    super(`The transaction was refused with status ${status}`)
    this.status = status
    this.body = body
  }
}

const TIMEOUT = 'TIMEOUT'

/** Nobody is there. What was asked never left. */
const UNREACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** The connection is gone, or nothing comes on it. What was asked may have been done. */
const LOST = new Set([
  TIMEOUT,
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ERR_STREAM_PREMATURE_CLOSE',
  // As the SDK calls what has no code, and an answer that ends in the middle.
  'REQUEST_SEND_ERROR',
  'PARSE_ERROR',
])

/** The service did nothing, and says so. */
const BUSY_STATUS = [429, 503]
/** It may have done it before it failed. */
const FAILED_STATUS = [408, 500, 502, 504]
/** What has just been removed, or made, is not ready yet. */
const NOT_YET = new Set(['TableBeingDeleted', 'AccountBeingCreated'])

const WHY: { readonly [code: string]: 'exists' | 'changed' | 'missing' } = {
  EntityAlreadyExists: 'exists',
  UpdateConditionNotSatisfied: 'changed',
  ConditionNotMet: 'changed',
  ResourceNotFound: 'missing',
  EntityNotFound: 'missing',
}

/** Whoever asks is not known, or cannot show that they are who they say. */
const STRANGERS = new Set([
  'AuthenticationFailed',
  'InvalidAuthenticationInfo',
  'NoAuthenticationInformation',
  'KeyBasedAuthenticationNotPermitted',
])

/** How `@azure/identity` says that it found nobody to ask as. */
const NO_IDENTITY =
  /^(?:CredentialUnavailable|AuthenticationRequired|Authentication|AggregateAuthentication)Error$/

const LOGIN_NEXT =
  'Check the key or the signature in the address, whether it still holds, and the clock of this machine. Without either, see that @azure/identity finds somebody to ask as.'
const RIGHTS_NEXT =
  'Let whoever asks read and write the tables (Storage Table Data Contributor, or a signature for raud), and see that the network rules of the account allow it from here.'
const NAME_NEXT =
  'Check the name of the account in the address, and whether it can be reached from here. Nothing was written.'
const FAILED_NEXT = 'What it says names the cause. Nothing of it was written.'

/** What of the SDK's errors is looked at. */
interface SdkError {
  readonly name: string
  readonly message: string
  readonly code?: unknown
  readonly response?: {
    readonly status: number
    readonly bodyAsText?: string | null
    readonly headers: { get(name: string): string | undefined }
  }
}

/** Null when it was neither the service nor the way to it. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof TransactionRefused) {
    const { status, body } = error
    return { status, ...saidIn(body, `status ${status}`), retryAfter: undefined, cause: error }
  }
  const { name, message, code, response } = error as SdkError
  if (response !== undefined) {
    const { status, bodyAsText, headers } = response
    const said = saidIn(bodyAsText ?? '', headers.get('x-ms-error-code') ?? `status ${status}`)
    return { status, ...said, retryAfter: headers.get('retry-after'), cause: error }
  }
  // A chain of credentials says what became of each, and the first line names the chain.
  const [text = ''] = message.split('\n', 1)
  const unanswered = { status: null, text, at: 0, retryAfter: undefined, cause: error }
  if (NO_IDENTITY.test(name)) return { ...unanswered, code: 'NoAuthenticationInformation' }
  if (name !== 'RestError') return null
  return { ...unanswered, code: String(code ?? 'REQUEST_SEND_ERROR') }
}

/** No answer came within the time that a request has. */
export function timedOut(afterMs: number, cause: unknown): Failure {
  const text = `no answer within ${afterMs} ms`
  return { status: null, code: TIMEOUT, text, at: 0, retryAfter: undefined, cause }
}

/** In a transaction the place of the write at fault stands before the text: `2:The specified entity…`. */
function saidIn(body: string, unnamed: string): Pick<Failure, 'code' | 'text' | 'at'> {
  const { code, text } = fromJson(body) ?? fromXml(body)
  const [, at = '0', words = ''] = /^(?:(\d+):)?([^\n]*)/.exec(text ?? '') ?? []
  return { code: code ?? unnamed, text: words || unnamed, at: Number(at) }
}

function fromJson(body: string): { readonly code?: string; readonly text?: string } | null {
  try {
    const { code, message } = JSON.parse(body)['odata.error']
    return { code, text: message?.value }
  } catch {
    return null
  }
}

function fromXml(body: string): { readonly code?: string; readonly text?: string } {
  const inside = (name: string) => new RegExp(`<${name}>([^<]*)`, 'i').exec(body)?.[1]
  const [code, text] = [inside('Code'), inside('Message')]
  return { ...(code === undefined ? null : { code }), ...(text === undefined ? null : { text }) }
}

/** Why a write was not done that its writer may have foreseen. */
export function refusalOf({ code }: Failure): 'exists' | 'changed' | 'missing' | null {
  return WHY[code] ?? null
}

/** Whether it is right to try again. Somebody who was there before may come back; who never was is not waited for. */
export function isPassing({ status, code }: Failure, wasThere: boolean): boolean {
  if (status === null) return LOST.has(code) || (UNREACHED.has(code) && wasThere)
  return BUSY_STATUS.includes(status) || FAILED_STATUS.includes(status) || NOT_YET.has(code)
}

/** Whether a write may have been done all the same. */
export function mayBeDone({ status, code }: Failure): boolean {
  return status === null ? LOST.has(code) : FAILED_STATUS.includes(status)
}

/** How long the service wants to be left alone: seconds, or a date. */
export function retryAfterMs({ retryAfter = '' }: Failure, now: number): number {
  const until = /^\d+$/.test(retryAfter) ? now + Number(retryAfter) * 1000 : Date.parse(retryAfter)
  return Number.isNaN(until) ? 0 : Math.max(until - now, 0)
}

export interface Asked {
  readonly address: string
  readonly table: string
  /** A try of it may have been done. */
  readonly unsure: boolean
}

export function translated(failure: Failure, { address, table, unsure }: Asked): WaybillError {
  const { status, code, text, cause } = failure
  // What the SDK says of it is the whole answer, in one line.
  const said = new Error(text, { cause })
  if (unsure) return new OutcomeUnknown(address, said)
  if (status === 401 || STRANGERS.has(code) || (status === 403 && /authenticate/i.test(text)))
    return new LoginRefused(address, said, LOGIN_NEXT)
  if (status === 403) return new NotPermitted(address, said, RIGHTS_NEXT)
  if (code === 'TableNotFound') return new TableMissing(address, table, { cause: said })
  if (code === 'ENOTFOUND') return new ServerUnavailable(address, said, NAME_NEXT)
  const isThere = status !== null && !isPassing(failure, true)
  return isThere ? new DatabaseFailed(address, said, FAILED_NEXT) : new ServerUnavailable(address, said)
}
