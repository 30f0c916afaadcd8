import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ALIASES } from '../../../test/fixtures/state-aliases.ts'
import type { DocumentState } from '../machines/document.ts'
import { getValidNextStates, isRetryableState, isTerminalState, LedgerState, mapState } from './states.ts'

const STATES: readonly DocumentState[] = [
  'pending',
  'fetching',
  'fetched',
  'parsing',
  'parsed',
  'validating',
  'validated',
  'ir_building',
  'ir_ready',
  'embedding',
  'indexed',
  'completed',
  'failed',
  'retrying',
  'skipped',
  'legacy',
]

describe('LedgerState', () => {
  it('offers every state by its name in capitals, and cannot be changed', () => {
    expect(Object.entries(LedgerState)).toEqual(STATES.map((state) => [state.toUpperCase(), state]))
    expect(LedgerState.IR_READY).toBe('ir_ready')
    expect(Object.isFrozen(LedgerState)).toBe(true)
  })

  it('A30: a misspelt state does not compile', () => {
    // @ts-expect-error: `fetchng` is not a state
    const misspelt: LedgerState = 'fetchng'
    // @ts-expect-error: neither is it a name of one
    const absent = LedgerState.FETCHNG
    expect(STATES).not.toContain(misspelt)
    expect(absent).toBeUndefined()
  })
})

describe('A31: strings instead of states', () => {
  it.each(STATES)('%s is itself, without a warning', (state) => {
    expect(mapState(state)).toEqual({ state, deprecated: false, known: true })
  })

  it.each(ALIASES)('%s means %s, in any case, with a warning', (alias, state) => {
    for (const spelling of [alias, alias.toUpperCase(), ` ${alias[0]?.toUpperCase()}${alias.slice(1)} `]) {
      expect(mapState(spelling)).toEqual({ state, deprecated: true, known: true })
    }
  })

  it.each(STATES)('%s in capitals works too, with a warning', (state) => {
    expect(mapState(state.toUpperCase())).toEqual({ state, deprecated: true, known: true })
  })

  it('anything else is legacy', () => {
    for (const name of ['', 'done', 'auto', 'constructor', 'toString', '__proto__', 'ir-ready']) {
      expect(mapState(name)).toEqual({ state: 'legacy', deprecated: true, known: false })
    }
    const known = new Set([...STATES, ...ALIASES.map(([alias]) => alias)])
    const unknown = fc.string().filter((name) => !known.has(name.trim().toLowerCase()))
    fc.assert(fc.property(unknown, (name) => mapState(name).state === 'legacy'))
  })
})

describe('A34: what may follow a state', () => {
  it('from pending: fetching or skipped', () => {
    expect(getValidNextStates('pending')).toEqual(new Set(['fetching', 'skipped']))
  })

  it('nothing follows completed', () => {
    expect(getValidNextStates('completed')).toEqual(new Set())
  })

  it('completed, failed and skipped are terminal, the others are not', () => {
    expect(STATES.filter(isTerminalState)).toEqual(['completed', 'failed', 'skipped'])
  })

  it('working states, failed and legacy may be tried again; pending may not', () => {
    expect(STATES.filter(isRetryableState)).toEqual([
      'fetching',
      'parsing',
      'validating',
      'ir_building',
      'embedding',
      'failed',
      'legacy',
    ])
  })
})
