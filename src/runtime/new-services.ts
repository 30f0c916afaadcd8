import type { World } from '../world/world.ts'
import { Dispatcher, type DispatcherOptions, type Publishers } from './dispatcher.ts'
import type { Handlers } from './handler.ts'
import type { LiveLedger } from './live-ledger.ts'
import { RunKeeper } from './run-keeper.ts'
import { Timekeeper } from './timekeeper.ts'
import { Worker, type WorkerOptions } from './worker.ts'

// Apart from the ledger that starts them, so that who only submits need not load them.

export function newWorker(
  ledger: LiveLedger,
  world: World,
  handlers: Handlers,
  options: WorkerOptions,
): Worker {
  return new Worker(ledger, world, handlers, options)
}

export function newDispatcher(
  ledger: LiveLedger,
  world: World,
  publishers: Publishers,
  options: DispatcherOptions,
): Dispatcher {
  return new Dispatcher(ledger, world, publishers, options)
}

export function newRunKeeper(ledger: LiveLedger, world: World): RunKeeper {
  return new RunKeeper(ledger, world)
}

export function newTimekeeper(ledger: LiveLedger, world: World): Timekeeper {
  return new Timekeeper(ledger, world)
}
