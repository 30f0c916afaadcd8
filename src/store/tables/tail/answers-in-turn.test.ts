import { expect, it } from 'vitest'
import { storeInTables } from '../../../../test/fixtures/tables-ledger.ts'
import { worldOfTurns } from '../../../../test/fixtures/world-of-turns.ts'
import { MemoryDatabase } from '../../../../test/tables/memory-database.ts'
import { MemoryTables } from '../../../../test/tables/memory-tables.ts'
import { type Command, decide, keyOf } from '../../../core/command.ts'
import { freshJob, moveDocument } from '../../../testing/conformance/commands.ts'
import type { Tail } from './tail.ts'

/** Answers to writes at the end of the log come when somebody lets them. */
class HeldTables extends MemoryTables {
  readonly answers: (() => void)[] = []
  isHolding = false

  override async append(...given: Parameters<Tail['append']>) {
    const written = await super.append(...given)
    given[2].onSeen()
    if (this.isHolding) await new Promise<void>((resolve) => this.answers.push(resolve))
    return written
  }
}

it('knows of two writes in the order in which they were sent, whichever is answered first', async () => {
  const world = worldOfTurns()
  const tables = new HeldTables(new MemoryDatabase(), { turn: async () => {} })
  const store = await storeInTables(world, tables)
  const act = async (command: Command) => {
    const outcome = await store.transact([keyOf(command)], (given) => decide(command, given))
    if (!outcome.ok) throw new Error(outcome.refusal.message)
  }
  // From then on it writes to the end.
  for (let nth = 0; nth < 20; nth++) await act(freshJob(`before-${nth}`))
  tables.isHolding = true
  const heard: string[] = []
  const telling = [
    act(moveDocument('d', 'fetching')).then(() => heard.push('fetching')),
    act(moveDocument('e', 'fetching')).then(() => heard.push('other')),
  ]
  while (tables.answers.length < 1) await world.timers.turn()
  telling.push(act(moveDocument('d', 'fetched')).then(() => heard.push('fetched')))
  while (tables.answers.length < 2) await world.timers.turn()
  tables.answers[1]?.()
  for (let turns = 0; turns < 10; turns++) await world.timers.turn()
  expect(heard).toEqual([])
  tables.answers[0]?.()
  await Promise.all(telling)
  expect(heard).toEqual(['fetching', 'other', 'fetched'])
  await store.close()
})
