import { describe, expect, it } from 'vitest'
import { TableMissing } from '../../errors/azure-errors.ts'
import {
  DatabaseFailed,
  LoginRefused,
  NotPermitted,
  OutcomeUnknown,
  ServerUnavailable,
} from '../../errors/postgres-errors.ts'
import {
  type Failure,
  failureOf,
  isPassing,
  mayBeDone,
  refusalOf,
  retryAfterMs,
  TransactionRefused,
  timedOut,
  translated,
} from './errors.ts'

const ASKED = { address: 'azure-tables:https://a', table: 'WaybillJobs', unsure: false }

/** As the service puts it. */
const said = (code: string, value: string) =>
  JSON.stringify({
    'odata.error': { code, message: { lang: 'en-US', value: `${value}\nRequestId:1\nTime:2` } },
  })

/** As the SDK hands on an answer. */
function answered(status: number, body = '', headers: { readonly [name: string]: string } = {}): Failure {
  const response = { status, bodyAsText: body, headers: { get: (name: string) => headers[name] } }
  return failureOf(Object.assign(new Error(body), { name: 'RestError', response })) as Failure
}

/** As the SDK hands on that none came. */
function unanswered(code: string | undefined, name = 'RestError'): Failure {
  return failureOf(Object.assign(new Error('it says'), { name, code })) as Failure
}

const of = (code: string, status: number) => answered(status, said(code, 'It says.'))

describe('what the table service says', () => {
  it('is understood as JSON, as XML and as nothing at all', () => {
    expect(answered(409, said('EntityAlreadyExists', 'It is there.'))).toMatchObject({
      status: 409,
      code: 'EntityAlreadyExists',
      text: 'It is there.',
      at: 0,
    })
    const xml =
      '<?xml version="1.0"?><Error><Code>AuthenticationFailed</Code><Message>No.\nRequestId:1</Message></Error>'
    expect(answered(403, xml)).toMatchObject({ code: 'AuthenticationFailed', text: 'No.' })
    expect(answered(503, '', { 'x-ms-error-code': 'ServerBusy', 'retry-after': '3' })).toMatchObject({
      code: 'ServerBusy',
      text: 'ServerBusy',
      retryAfter: '3',
    })
    expect(answered(502, '<html>Bad Gateway</html>')).toMatchObject({
      code: 'status 502',
      text: 'status 502',
    })
    expect(answered(400, '{"odata.error":{}}')).toMatchObject({ code: 'status 400', text: 'status 400' })
  })

  it('names the one of several writes that was at fault', () => {
    const refused = new TransactionRefused(
      412,
      said('UpdateConditionNotSatisfied', '17:The update condition'),
    )
    expect(failureOf(refused)).toMatchObject({
      status: 412,
      code: 'UpdateConditionNotSatisfied',
      text: 'The update condition',
      at: 17,
    })
    expect(failureOf(new TransactionRefused(502, ''))).toMatchObject({ code: 'status 502', at: 0 })
  })

  it('is a refusal that its writer foresaw, or none', () => {
    expect(refusalOf(of('EntityAlreadyExists', 409))).toBe('exists')
    expect(refusalOf(of('UpdateConditionNotSatisfied', 412))).toBe('changed')
    expect(refusalOf(of('ResourceNotFound', 404))).toBe('missing')
    expect(refusalOf(of('EntityNotFound', 404))).toBe('missing')
    for (const [code, status] of [
      ['TableNotFound', 404],
      ['TableAlreadyExists', 409],
      ['InvalidInput', 400],
    ] as const)
      expect(refusalOf(of(code, status))).toBeNull()
  })

  it('may pass, and then may or may not have been done', () => {
    for (const [failure, passing, done] of [
      [of('ServerBusy', 503), true, false],
      [answered(429), true, false],
      [of('InternalError', 500), true, true],
      [of('OperationTimedOut', 500), true, true],
      [answered(502), true, true],
      [answered(504), true, true],
      [answered(408), true, true],
      [of('TableBeingDeleted', 409), true, false],
      [of('InvalidInput', 400), false, false],
      [of('EntityAlreadyExists', 409), false, false],
      [of('AuthenticationFailed', 403), false, false],
      [unanswered('ECONNRESET'), true, true],
      [unanswered('EPIPE'), true, true],
      [unanswered('PARSE_ERROR'), true, true],
      [unanswered(undefined), true, true],
      [timedOut(15_000, null), true, true],
      [unanswered('ECONNREFUSED'), true, false],
      [unanswered('ENOTFOUND'), true, false],
      [unanswered('CERT_HAS_EXPIRED'), false, false],
    ] as const) {
      expect([failure.code, isPassing(failure, true)]).toEqual([failure.code, passing])
      expect([failure.code, mayBeDone(failure)]).toEqual([failure.code, done])
    }
    expect(isPassing(unanswered('ECONNREFUSED'), false)).toBe(false)
    expect(isPassing(unanswered('ECONNRESET'), false)).toBe(true)
  })

  it('says how long to wait', () => {
    const now = Date.UTC(2025, 0, 1)
    const waitMs = (text: string) => retryAfterMs(answered(503, '', { 'retry-after': text }), now)
    expect(waitMs('0')).toBe(0)
    expect(waitMs('12')).toBe(12_000)
    expect(waitMs(new Date(now + 5000).toUTCString())).toBe(5000)
    expect(waitMs(new Date(now - 5000).toUTCString())).toBe(0)
    for (const text of ['', 'soon', '-1']) expect(waitMs(text)).toBe(0)
    expect(retryAfterMs(answered(503), now)).toBe(0)
  })

  it('is told in our words, with the next step', () => {
    for (const [failure, type] of [
      [of('AuthenticationFailed', 403), LoginRefused],
      [of('InvalidAuthenticationInfo', 401), LoginRefused],
      [of('KeyBasedAuthenticationNotPermitted', 403), LoginRefused],
      [answered(401), LoginRefused],
      [
        answered(403, said('AuthorizationFailure', 'Server failed to authenticate the request.')),
        LoginRefused,
      ],
      [unanswered(undefined, 'AggregateAuthenticationError'), LoginRefused],
      [unanswered(undefined, 'CredentialUnavailableError'), LoginRefused],
      [of('AuthorizationFailure', 403), NotPermitted],
      [of('AuthorizationPermissionMismatch', 403), NotPermitted],
      [of('AccountIsDisabled', 403), NotPermitted],
      [of('TableNotFound', 404), TableMissing],
      [of('InvalidInput', 400), DatabaseFailed],
      [of('RequestBodyTooLarge', 413), DatabaseFailed],
      [of('ServerBusy', 503), ServerUnavailable],
      [unanswered('ECONNREFUSED'), ServerUnavailable],
      [unanswered('ENOTFOUND'), ServerUnavailable],
      [unanswered('CERT_HAS_EXPIRED'), ServerUnavailable],
    ] as const) {
      const error = translated(failure, ASKED)
      expect(error).toBeInstanceOf(type)
      expect(error.message).toContain(ASKED.address)
      expect(error.next).not.toMatch(/^$|pg_hba|primary|schema|CREATE DATABASE/)
      expect(translated(failure, { ...ASKED, unsure: true })).toBeInstanceOf(OutcomeUnknown)
    }
    expect(translated(of('InvalidInput', 400), ASKED).message).toBe(`${ASKED.address} failed: It says.`)
    expect(translated(of('TableNotFound', 404), ASKED).message).toContain('has no table WaybillJobs')
    expect(translated(unanswered('ENOTFOUND'), ASKED).next).toContain('name of the account')
  })

  it('leaves alone what is nobody else’s fault', () => {
    expect(failureOf(new TypeError('x is not a function'))).toBeNull()
  })
})
