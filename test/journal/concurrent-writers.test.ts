import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import type { DocumentState } from '../../src/core/machines/document.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import type { JournalStore } from '../../src/store/journal/journal-store.ts'
import { moveDocument } from '../../src/testing/conformance/commands.ts'
import { auditAll } from '../../src/testing/conformance/reading.ts'
import { realWorld } from '../../src/world/world.ts'
import { scratch } from '../e2e/scratch.ts'

const WRITERS = 8
const PATH: readonly DocumentState[] = ['fetching', 'fetched', 'parsing', 'parsed', 'validating', 'validated']

async function move(
  store: JournalStore,
  doc_id: string,
  state: DocumentState,
  actor: string,
): Promise<boolean> {
  const command = moveDocument(doc_id, state, { actor })
  return (await store.transact([keyOf(command)], (given) => decide(command, given))).ok
}

it('A42: eight writers at once make each transition once, in order, on the same and on different documents', async () => {
  using place = scratch('writers')
  const folder = `${place.folder}/ledger`
  const store = await openJournal(folder, realWorld, { snapshotAfterBytes: 5000 })
  const accepted = await Promise.all(
    Array.from({ length: WRITERS }, async (_, n) => {
      let own = 0
      for (const state of PATH) {
        // All of them try every step of the shared one; who comes too late is refused.
        if (await move(store, 'shared', state, `writer-${n}`)) own++
        expect(await move(store, `own-${n}`, state, `writer-${n}`)).toBe(true)
      }
      return own
    }),
  )
  expect(accepted.reduce((sum, n) => sum + n)).toBe(PATH.length)
  await store.close()
  const again = await openJournal(folder, realWorld, {})
  for (const id of ['shared', ...Array.from({ length: WRITERS }, (_, n) => `own-${n}`)]) {
    const moves = await auditAll(again, { id, event: 'moved' })
    expect(moves.map(({ old_state, new_state }) => [old_state, new_state])).toEqual(
      PATH.map((state, n) => [PATH[n - 1] ?? 'pending', state]),
    )
  }
  expect(await again.check()).toEqual([])
  await again.close()
})
