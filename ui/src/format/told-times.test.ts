import { expect, test } from 'vitest'
import { toldTimes } from './told-times.ts'

test('times are taken out of a text, and everything else stays', () => {
  expect(toldTimes('Paused since 2026-11-17T10:59:56.491Z, until 2026-11-18T00:00:00Z')).toEqual([
    { text: 'Paused since ' },
    { at: '2026-11-17T10:59:56.491Z' },
    { text: ', until ' },
    { at: '2026-11-18T00:00:00Z' },
  ])
})

test('a text without times is itself', () => {
  expect(toldTimes('Nobody has it')).toEqual([{ text: 'Nobody has it' }])
  expect(toldTimes('')).toEqual([])
})
