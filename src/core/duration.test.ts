import { expect, it } from 'vitest'
import { durationMs } from './duration.ts'

it('takes milliseconds, and text as people write it', () => {
  const given = [0, 250, '250ms', '90s', '15m', '1h 30m', '1.5h', '2D', '1w', ' 10 s ']
  expect(given.map(durationMs)).toEqual([
    0, 250, 250, 90_000, 900_000, 5_400_000, 5_400_000, 172_800_000, 604_800_000, 10_000,
  ])
})

it('takes nothing else', () => {
  for (const wrong of ['', '15', 'm', '15 minutes', '-5m', '1h-', -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect([wrong, durationMs(wrong)]).toEqual([wrong, null])
  }
})
