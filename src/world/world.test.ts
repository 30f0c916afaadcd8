import { expect, it, vi } from 'vitest'
import { realWorld } from './world.ts'

it('is the real one', () => {
  const before = Date.now()
  const now = realWorld.clock.now()
  expect(now).toBeGreaterThanOrEqual(before)
  expect(now).toBeLessThanOrEqual(Date.now())
  const roll = realWorld.random.next()
  expect(roll).toBeGreaterThanOrEqual(0)
  expect(roll).toBeLessThan(1)
})

it('warns of what is going away by its code', () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  realWorld.warn('old name', 'WAYBILL_DEP_STRING_STATE')
  expect(emitWarning).toHaveBeenCalledWith('old name', {
    type: 'DeprecationWarning',
    code: 'WAYBILL_DEP_STRING_STATE',
  })
  emitWarning.mockRestore()
})

it('logs nothing unless asked to', () => {
  const write = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
  for (const level of ['debug', 'info', 'warn', 'error'] as const) realWorld.logger[level]({}, 'quiet')
  expect(write).not.toHaveBeenCalled()
  write.mockRestore()
})

it('has secrets of any length, and another one each time', () => {
  const made = Array.from({ length: 100 }, () => Buffer.from(realWorld.secrets.bytes(32)).toString('hex'))
  expect(new Set(made.map((secret) => secret.slice(0, 16))).size).toBe(100)
  expect(made.every(({ length }) => length === 64)).toBe(true)
})
