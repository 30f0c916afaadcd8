import { expect, it } from 'vitest'
import { Memory } from './memory.ts'
import { Shelf } from './shelf.ts'
import type { SlotRow } from './tables.ts'
import { Workspace } from './workspace.ts'

const SLOT = { tenant_id: 't', key: 'k' }

function spaceThatRead(row: SlotRow): Workspace {
  const space = new Workspace({ now: 0, ids: { next: () => 'id' }, remembered: null })
  space.slots.know(row, true)
  return space
}

// A group that had only looked at a limit was written after one that had taken a place under it. What was remembered then
// was that nobody held it, and it was never given back.
it('what was only read does not take the place of what was written', () => {
  const memory = new Memory(new Shelf(false, 0))
  const before: SlotRow = { ...SLOT, version: 1, counted: 0, named: [] }
  const reader = spaceThatRead(before)
  const taker = spaceThatRead(before)
  taker.slots.stateOf(SLOT)?.change(0, 0, new Map([['owner', null]]))
  memory.wrote(taker)
  memory.wrote(reader)
  expect(memory.slot(SLOT)).toMatchObject({ version: 2, named: [['owner', null]] })
})
