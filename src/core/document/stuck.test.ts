import { describe, expect, it } from 'vitest'
import type { DurationRow } from '../durations.ts'
import { statesOf } from '../machine.ts'
import { type DocumentState, documentMachine } from '../machines/document.ts'
import type { DocumentRecord } from './record.ts'
import { isTerminalState } from './states.ts'
import { DEFAULT_STUCK_HOURS, stuckBefore, stuckOf, stuckThresholds, UNFINISHED_STATES } from './stuck.ts'

const HOUR = 3_600_000
const NOW = 1_800_000_000_000

function documentIn(state: DocumentState, updated_at: number): DocumentRecord {
  return { tenant_id: 't', doc_id: 'd', state, adapter: 'web', updated_at } as DocumentRecord
}

describe('a stuck document', () => {
  it('A35 is one that was 5 h in fetching, with a threshold of 1', () => {
    const since = (NOW - 5 * HOUR) / 1000
    expect(stuckOf(documentIn('fetching', since), stuckThresholds(1, []), NOW)).toEqual({
      tenant_id: 't',
      doc_id: 'd',
      state: 'fetching',
      adapter: 'web',
      since,
      hours: 5,
      threshold: { state: 'fetching', hours: 1, from: 'given' },
    })
  })

  it.each(statesOf(documentMachine))('A35 in %s, unless no work is in flight there', (state) => {
    const found = stuckOf(documentIn(state, 0), stuckThresholds(1, []), NOW)
    expect(found === null).toBe(isTerminalState(state))
    expect(UNFINISHED_STATES.includes(state)).toBe(!isTerminalState(state))
  })

  it.each([0, 0.001, 1, 2.5, 1 / 3])(
    'A35 is stuck from the millisecond on at which %d h are over',
    (hours) => {
      const thresholds = stuckThresholds(hours, [])
      const ms = Math.round(hours * HOUR)
      const at = (age: number) => stuckOf(documentIn('parsing', (NOW - age) / 1000), thresholds, NOW)
      expect(at(ms)?.hours).toBeCloseTo(hours, 6)
      expect(at(ms - 1)).toBeNull()
      expect(at(ms + 1)).not.toBeNull()
      // What is looked for is exactly what can be stuck.
      expect(NOW - ms < stuckBefore(thresholds, NOW)).toBe(true)
      expect(NOW - ms + 1 < stuckBefore(thresholds, NOW)).toBe(false)
    },
  )
})

describe('without hours', () => {
  const row = (state: string, p99_seconds: number) => ({ state, p99_seconds }) as DurationRow
  const thresholds = stuckThresholds(undefined, [row('fetching', 7200), row('parsing', 36)])

  it('each state has its own measure, or the default while nothing has left it', () => {
    const of = (state: string) => thresholds.find((one) => one.state === state)
    expect(of('fetching')).toEqual({ state: 'fetching', hours: 2, from: 'p99' })
    expect(of('parsing')).toEqual({ state: 'parsing', hours: 0.01, from: 'p99' })
    expect(of('embedding')).toEqual({ state: 'embedding', hours: DEFAULT_STUCK_HOURS, from: 'default' })
    expect(thresholds).toHaveLength(UNFINISHED_STATES.length)
  })

  it('one document is stuck after an hour where another is not', () => {
    const since = (NOW - HOUR) / 1000
    expect(stuckOf(documentIn('parsing', since), thresholds, NOW)?.threshold.from).toBe('p99')
    expect(stuckOf(documentIn('fetching', since), thresholds, NOW)).toBeNull()
    expect(stuckBefore(thresholds, NOW)).toBe(NOW - 36_000 + 1)
  })
})
