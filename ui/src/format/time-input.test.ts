import { describe, expect, it } from 'vitest'
import { inputOf, isoOf } from './time-input.ts'

describe('a field for a time', () => {
  it('shows the instant in the zone that was chosen', () => {
    expect(inputOf('2026-11-17T10:47:40.123Z', 'utc')).toBe('2026-11-17T10:47:40')
    const local = inputOf('2026-11-17T10:47:40.000Z', 'local')
    expect(isoOf(local, 'local')).toBe('2026-11-17T10:47:40.000Z')
  })

  it('is empty for what is no time', () => {
    expect(inputOf(undefined, 'utc')).toBe('')
    expect(inputOf('yesterday', 'utc')).toBe('')
  })

  it('means an instant, with or without seconds', () => {
    expect(isoOf('2026-11-17T10:47', 'utc')).toBe('2026-11-17T10:47:00.000Z')
    expect(isoOf('2026-11-17T10:47:05', 'utc')).toBe('2026-11-17T10:47:05.000Z')
    expect(isoOf('', 'utc')).toBeNull()
    expect(isoOf('', 'local')).toBeNull()
  })
})
