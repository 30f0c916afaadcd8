import { describe, expect, it } from 'vitest'
import * as inputErrors from './input-errors.ts'
import * as messageErrors from './message-errors.ts'
import { errorOf, LimitReached } from './refusal-errors.ts'
import { StreamLimit, TooManyStreams } from './stream-errors.ts'
import { ERROR_TABLE, type ErrorCode } from './table.ts'
import { InvalidTopology } from './topology-errors.ts'
import { WaybillError } from './waybill-error.ts'

describe('errors', () => {
  it('has a row with a status, an exit code and a meaning for every code', () => {
    for (const row of Object.values(ERROR_TABLE)) {
      expect(row.status).toBeGreaterThanOrEqual(400)
      expect(row.exit).toBeGreaterThanOrEqual(1)
      expect(row.exit).toBeLessThanOrEqual(7)
      expect(row.about).not.toBe('')
    }
  })

  it('turns a refusal into the exception of its code, with everything it said', () => {
    const refusal = {
      code: 'IN_FLIGHT_LIMIT',
      message: 'Tenant t1 has as many as it may',
      next: 'Wait.',
      details: { retry_after_seconds: 7 },
    } as const
    const error = errorOf(refusal)
    expect(error).toBeInstanceOf(LimitReached)
    expect(error).toMatchObject({ ...refusal, name: 'LimitReached', status: 429, exitCode: 4 })
    expect((error as LimitReached).retryAfterSeconds).toBe(7)
    expect(JSON.parse(JSON.stringify(error))).toEqual({ ...refusal, name: 'LimitReached', field: null })
  })

  it('says the next step in every error that is thrown for bad input and bad messages', () => {
    const errors: WaybillError[] = [
      new inputErrors.InvalidInput('f', 'm', 'n'),
      new inputErrors.UnknownRequestType('X', []),
      new inputErrors.UnknownRequestType('X', ['Y']),
      new inputErrors.UnknownAdapter('x', ['y']),
      new inputErrors.UnknownEngine('ftp:', ['memory:']),
      new inputErrors.BadCursor('?'),
      new inputErrors.Unsupported('this', 'Do that.'),
      new inputErrors.LedgerClosed(),
      new InvalidTopology({ file: null, name: null, problems: [] }),
      new messageErrors.BadMessage({ message: 'm', next: 'n' }),
      new messageErrors.BadSignature('no_match', 'm', 'f'),
      new messageErrors.StaleTimestamp('too_old', 301, 300),
      new messageErrors.UnknownPath(['/ack']),
      new messageErrors.MethodNotAllowed('POST'),
      new messageErrors.BodyTooLarge(1),
      new messageErrors.NoHandler('X', ['Y']),
      new messageErrors.ServiceBusy(1),
      new messageErrors.ServiceStopping(),
      new messageErrors.MissingPackage({ what: 'This', packages: ['a', 'b'] }, {}),
      new messageErrors.InternalError(new Error('x')),
      new TooManyStreams(1),
      new StreamLimit(1),
    ]
    for (const error of errors) {
      expect(error.next).not.toBe('')
      expect(Object.keys(ERROR_TABLE)).toContain(error.code satisfies ErrorCode)
      expect(error.name).toBe(error.constructor.name)
    }
  })

  it('keeps the cause', () => {
    const cause = new Error('deep down')
    const error = new WaybillError({ code: 'UNSUPPORTED', message: 'm', next: 'n', cause })
    expect(error.cause).toBe(cause)
  })
})
