import { expect, it } from 'vitest'
import { VirtualClock } from '../../testing/virtual-clock.ts'
import { FailedLogins } from './failed-logins.ts'

it('ten wrong tokens from an address within a minute are enough', async () => {
  const clock = new VirtualClock(0)
  const failed = new FailedLogins(clock)
  for (let i = 0; i < 10; i++) {
    failed.check('10.0.0.1')
    failed.record('10.0.0.1')
  }
  expect(() => failed.check('10.0.0.1')).toThrow(
    expect.objectContaining({ code: 'LOGIN_BLOCKED', details: { retry_after_seconds: 60 } }),
  )
  failed.check('10.0.0.2')
  await clock.advanceBy(59_001)
  expect(() => failed.check('10.0.0.1')).toThrow(
    expect.objectContaining({ details: { retry_after_seconds: 1 } }),
  )
  await clock.advanceBy(999)
  failed.check('10.0.0.1')
  failed.record('10.0.0.1')
  failed.check('10.0.0.1')
})
