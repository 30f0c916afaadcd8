import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { errorContextOf } from './error-context.ts'
import { redactText } from './redact.ts'

const of = (error: unknown) => errorContextOf(error, redactText)

class Unnamed extends Error {}

describe('what is kept of an error', () => {
  it('A32 its type, message and stack', () => {
    const context = of(new RangeError('too far'))
    expect(context).toMatchObject({ error_type: 'RangeError', error_message: 'too far' })
    expect(context.traceback).toMatch(/^RangeError: too far\n {4}at .*error-context\.test\.ts/)
  })

  it('the name of its class, when it has no other', () => {
    expect(of(new Unnamed('x')).error_type).toBe('Unnamed')
    expect(of(Object.assign(new Error('x'), { name: 'HTTPError' })).error_type).toBe('HTTPError')
    expect(of(runInNewContext('new TypeError("elsewhere")'))).toMatchObject({
      error_type: 'TypeError',
      error_message: 'elsewhere',
    })
  })

  it('what caused it', () => {
    const error = new Error('no page', { cause: new TypeError('no network', { cause: 'cable' }) })
    const told = of(error).traceback ?? ''
    expect(told).toMatch(/^Error: no page\n[\s\S]*Caused by: TypeError: no network\n[\s\S]*Caused by: cable$/)
  })

  it('is bounded, also where an error causes itself', () => {
    const error: Error = new Error('x'.repeat(100_000))
    error.cause = error
    const { error_message, traceback } = of(error)
    expect(error_message).toHaveLength(8192)
    expect(traceback).toHaveLength(8192)
  })

  it('has no secrets', () => {
    const error = new Error('connect postgres://u:hunter2@db failed', {
      cause: new Error('password=hunter3'),
    })
    expect(JSON.stringify(of(error))).not.toMatch(/hunter[23]/)
    expect(of(error).error_message).toBe('connect postgres://u:[redacted]@db failed')
  })

  it.each([
    ['text', 'text'],
    [404, '404'],
    [null, 'null'],
    [{ status: 503 }, '{"status":503}'],
    [Object.create(null), '{}'],
    [{ toJSON: () => undefined, toString: () => 'odd' }, 'odd'],
    [
      {
        toJSON() {
          throw new Error('no')
        },
      },
      'something that cannot be shown',
    ],
  ])('of what is no error, the text (%#)', (thrown, error_message) => {
    expect(of(thrown)).toEqual({ error_type: 'Error', error_message, traceback: null })
  })

  it('is taken as it is when it was taken apart elsewhere', () => {
    const context = { error_type: 'ValueError', error_message: 'token=abc', traceback: 'line 1' }
    expect(of(context)).toEqual({ ...context, error_message: 'token=[redacted]' })
    expect(of({ error_message: 'm' })).toEqual({ error_type: 'Error', error_message: 'm', traceback: null })
    for (const fields of [
      { error_message: 1 },
      { error_message: 'm', error_type: 1 },
      { error_message: 'm', traceback: [] },
    ]) {
      expect(() => of(fields)).toThrow(/must be text/)
    }
  })

  it('survives an error without a stack', () => {
    expect(of(Object.assign(new Error('x'), { stack: undefined })).traceback).toBe('Error: x')
  })
})
