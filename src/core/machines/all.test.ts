import { describe, expect, it } from 'vitest'
import {
  isEdge,
  isRetryable,
  isStateOf,
  isTerminal,
  type Machine,
  nextStates,
  statesOf,
  TONES as TONE_NAMES,
  type Tone,
  toneOf,
} from '../machine.ts'
import { machines } from './all.ts'
import { isCancelled } from './job.ts'

type Table = { readonly [from: string]: string }

const WORK = 'fetching parsing validating ir_building embedding'

// Written from the description of the machines, not from their code: state → the states that may follow.
const TABLES: { readonly [kind in keyof typeof machines]: Table } = {
  document: {
    pending: 'fetching skipped',
    fetching: 'fetched failed retrying',
    fetched: 'parsing failed',
    parsing: 'parsed failed retrying',
    parsed: 'validating failed',
    validating: 'validated failed retrying',
    validated: 'ir_building failed',
    ir_building: 'ir_ready failed retrying',
    ir_ready: 'embedding failed completed',
    embedding: 'indexed failed retrying completed',
    indexed: 'completed failed',
    completed: '',
    failed: 'retrying',
    retrying: `${WORK} failed`,
    skipped: '',
    legacy: `pending ${WORK} fetched parsed validated ir_ready indexed completed failed retrying skipped`,
  },
  job: {
    QUEUED: 'DISPATCHING CANCELLING FAILED_FINAL',
    DISPATCHING: 'IN_PROGRESS CANCELLING FAILED_FINAL',
    IN_PROGRESS: 'IN_PROGRESS SUCCEEDED FAILED_FINAL CANCELLING',
    CANCELLING: 'CANCELLED',
    SUCCEEDED: '',
    FAILED_FINAL: '',
    CANCELLED: '',
  },
  step: {
    PENDING: 'DISPATCHING CANCELLED',
    DISPATCHING: 'AWAITING_ACK FAILED_RETRY FAILED_FINAL CANCELLED',
    AWAITING_ACK: 'IN_PROGRESS FAILED_RETRY FAILED_FINAL CANCELLED',
    IN_PROGRESS: 'SUCCEEDED FAILED_RETRY FAILED_FINAL CANCELLED',
    FAILED_RETRY: 'DISPATCHING CANCELLED',
    SUCCEEDED: '',
    FAILED_FINAL: '',
    CANCELLED: '',
  },
  outbox: { PENDING: 'SENT FAILED_FINAL', SENT: '', FAILED_FINAL: '' },
  run: {
    pending: 'running',
    running: 'succeeded failed cancelled',
    succeeded: '',
    failed: '',
    cancelled: '',
  },
  workstream: {
    pending: 'ready blocked skipped',
    blocked: 'ready',
    ready: 'running skipped',
    running: 'succeeded failed',
    succeeded: '',
    failed: '',
    skipped: '',
  },
  queue: { running: 'running paused', paused: 'running paused' },
  schedule: {
    active: 'active paused removed',
    paused: 'active paused removed',
    removed: 'active',
  },
  token: { active: 'revoked', revoked: '' },
}

const TERMINAL: { readonly [kind in keyof typeof machines]: string } = {
  document: 'completed failed skipped',
  job: 'SUCCEEDED FAILED_FINAL CANCELLED',
  step: 'SUCCEEDED FAILED_FINAL CANCELLED',
  outbox: 'SENT FAILED_FINAL',
  run: 'succeeded failed cancelled',
  workstream: 'succeeded failed skipped',
  queue: '',
  schedule: 'removed',
  token: 'revoked',
}

const RETRYABLE: { readonly [kind in keyof typeof machines]: string } = {
  document: `${WORK} failed legacy`,
  job: '',
  step: 'DISPATCHING AWAITING_ACK IN_PROGRESS',
  outbox: '',
  run: '',
  workstream: '',
  queue: '',
  schedule: '',
  token: '',
}

const INITIAL = {
  document: 'pending',
  job: 'QUEUED',
  step: 'PENDING',
  outbox: 'PENDING',
  run: 'pending',
  workstream: 'pending',
  queue: 'running',
  schedule: 'active',
  token: 'active',
}

const TONES: { readonly [kind in keyof typeof machines]: { readonly [tone in Tone]?: string } } = {
  document: {
    waiting: 'pending fetched parsed validated ir_ready indexed legacy',
    busy: WORK,
    retry: 'retrying',
    good: 'completed',
    bad: 'failed',
    stopped: 'skipped',
  },
  job: {
    waiting: 'QUEUED',
    busy: 'DISPATCHING IN_PROGRESS',
    good: 'SUCCEEDED',
    bad: 'FAILED_FINAL',
    stopped: 'CANCELLING CANCELLED',
  },
  step: {
    waiting: 'PENDING',
    busy: 'DISPATCHING AWAITING_ACK IN_PROGRESS',
    retry: 'FAILED_RETRY',
    good: 'SUCCEEDED',
    bad: 'FAILED_FINAL',
    stopped: 'CANCELLED',
  },
  outbox: { waiting: 'PENDING', good: 'SENT', bad: 'FAILED_FINAL' },
  run: { waiting: 'pending', busy: 'running', good: 'succeeded', bad: 'failed', stopped: 'cancelled' },
  workstream: {
    waiting: 'pending ready blocked',
    busy: 'running',
    good: 'succeeded',
    bad: 'failed',
    stopped: 'skipped',
  },
  queue: { busy: 'running', stopped: 'paused' },
  schedule: { good: 'active', stopped: 'paused removed' },
  token: { good: 'active', stopped: 'revoked' },
}

/** Ways out of an end. */
const WAYS_BACK: { readonly [kind: string]: readonly string[] } = {
  document: ['failed → retrying'],
  schedule: ['removed → active'],
}

function words(text: string | undefined): readonly string[] {
  return (text ?? '').split(' ').filter((word) => word !== '')
}

const KINDS = Object.keys(TABLES) as (keyof typeof machines)[]

function machineOf(kind: keyof typeof machines): Machine<string> {
  return machines[kind] as Machine<string>
}

describe('the machines', () => {
  it('are those of nine kinds, each named as its kind', () => {
    expect(Object.keys(machines)).toEqual(KINDS)
    expect(Object.values(machines).map(({ name }) => name)).toEqual(Object.keys(machines))
  })

  describe.each(KINDS)('%s', (kind) => {
    const machine = machineOf(kind)
    const states = Object.keys(TABLES[kind])

    it('has these states, and begins in the first of its life', () => {
      expect([...statesOf(machine)].sort()).toEqual([...states].sort())
      expect(machine.initial).toBe(INITIAL[kind])
    })

    it('has exactly these edges', () => {
      const declared = states.flatMap((from) => words(TABLES[kind][from]).map((to) => `${from} → ${to}`))
      const found = states.flatMap((from) =>
        states.filter((to) => isEdge(machine, from, to)).map((to) => `${from} → ${to}`),
      )
      expect(found.sort()).toEqual(declared.sort())
    })

    it.each(states)('tells what may follow %s', (state) => {
      expect(nextStates(machine, state)).toEqual(new Set(words(TABLES[kind][state])))
    })

    it('ends where it should, and only a failed document and a removed schedule come back', () => {
      const terminal = states.filter((state) => isTerminal(machine, state))
      expect(terminal.sort()).toEqual([...words(TERMINAL[kind])].sort())
      const waysOut = terminal.flatMap((from) =>
        [...nextStates(machine, from)].map((to) => `${from} → ${to}`),
      )
      expect(waysOut).toEqual(WAYS_BACK[kind] ?? [])
    })

    it('reaches every state but legacy from its first one, and an end, if it has any, from every state', () => {
      expect(reachable(machine, machine.initial).size).toBe(states.length - (kind === 'document' ? 1 : 0))
      // Queues are there for as long as the ledger is.
      if (TERMINAL[kind] === '') return expect(kind).toBe('queue')
      for (const state of states) {
        const ends = [...reachable(machine, state)].filter((other) => isTerminal(machine, other))
        expect(ends, `an end after ${state}`).not.toEqual([])
      }
    })

    it('knows from where it may be tried again', () => {
      expect(states.filter((state) => isRetryable(machine, state)).sort()).toEqual(
        [...words(RETRYABLE[kind])].sort(),
      )
    })

    it('says how every state is to be taken, and that a retry state means a retry', () => {
      for (const tone of TONE_NAMES) {
        const found = states.filter((state) => toneOf(machine, state) === tone)
        expect(found.sort(), tone).toEqual([...words(TONES[kind][tone])].sort())
      }
      for (const state of states)
        expect(machine.states[state]?.retry === true).toBe(toneOf(machine, state) === 'retry')
      expect(toneOf(machine, 'nowhere')).toBeUndefined()
    })

    it('describes every state in one line', () => {
      for (const state of states) expect(machine.states[state]?.about).toMatch(/^[A-Z].{3,79}$/)
    })

    it('knows its own states from anything else', () => {
      for (const state of states) expect(isStateOf(machine, state)).toBe(true)
      for (const other of ['nowhere', '', 'toString', 'constructor', null, undefined, 7, {}]) {
        expect(isStateOf(machine, other)).toBe(false)
      }
    })
  })
})

function reachable(machine: Machine<string>, from: string): ReadonlySet<string> {
  const seen = new Set([from])
  for (const state of seen) for (const next of nextStates(machine, state)) seen.add(next)
  return seen
}

it.each(statesOf(machines.job))('a job that is %s was cancelled, or was not', (state) => {
  expect(isCancelled({ state })).toBe(['CANCELLING', 'CANCELLED'].includes(state))
})
