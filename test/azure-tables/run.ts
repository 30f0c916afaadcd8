import { type Command, decide, keyOf } from '../../src/core/command.ts'
import type { Store } from '../../src/store/store.ts'

/** One command, by itself. */
export const run = (store: Store, command: Command) =>
  store.transact([keyOf(command)], (given) => decide(command, given))
