// The engine over a service in memory: by itself; with answers that come in any order, as over a wire; and with a wire that is
// cut every now and then, before the service has heard or before its answer is back. The two share the suite.
import type { StoreSubject } from 'waybill/testing'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { systemTimers, type Timers } from '../../src/world/timers.ts'
import { registerConformance } from '../conformance/register.ts'
import { turnsOf } from '../fixtures/turns.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeOptions, FakeTableService } from './fake-table-service.ts'

/** Turns of the event loop instead of milliseconds: as mixed up, and quick. */
const turns: Timers = {
  ...systemTimers,
  after(ms, callback) {
    let left = ms
    let isCancelled = false
    const turn = () => {
      if (isCancelled) return
      if (left-- <= 0) callback()
      else setImmediate(turn)
    }
    setImmediate(turn)
    return {
      cancel: () => {
        isCancelled = true
      },
    }
  },
}

const MOST_TURNS = 4
const CUT = 0.02

const RUNS = 3

function subject(name: string, options: () => FakeOptions): StoreSubject {
  const accounts = new WeakMap<object, FakeAccount>()
  const open: StoreSubject['open'] = (world) => {
    const account = accounts.get(world.clock) ?? new FakeAccount()
    accounts.set(world.clock, account)
    return openOn(new FakeTableService(account, options()), world)
  }
  return { name, open, reopen: open, histories: { runs: RUNS }, patienceMs: 20_000 }
}

const mixed = { timers: turns, delayMs: () => Math.floor(Math.random() * MOST_TURNS) }

const [some, others] = turnsOf(2, 'test:azure-tables:long')

registerConformance(
  subject('azure tables in memory, in any order', () => mixed),
  some,
)
registerConformance(
  subject('azure tables in memory, over a bad wire', () => {
    const cut = () => (Math.random() < CUT ? 'lost' : undefined)
    return { ...mixed, before: cut, after: cut }
  }),
  others,
)
