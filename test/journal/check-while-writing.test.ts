import { expect, it } from 'vitest'
import { type Command, decide, keyOf } from '../../src/core/command.ts'
import type { DocumentState } from '../../src/core/machines/document.ts'
import { openJournal } from '../../src/store/journal/journal.ts'
import type { JournalStore } from '../../src/store/journal/journal-store.ts'
import { moveDocument, submitJob } from '../../src/testing/conformance/commands.ts'
import { realWorld } from '../../src/world/world.ts'
import { scratch } from '../e2e/scratch.ts'

/** More than a page, so that others have their turn between two. */
const DOCUMENTS = 2500
const WRITERS = 8
const PATH: readonly DocumentState[] = ['fetched', 'parsing', 'parsed', 'validating', 'validated']

async function act(store: JournalStore, command: Command): Promise<void> {
  const outcome = await store.transact([keyOf(command)], (given) => decide(command, given))
  if (!outcome.ok) throw new Error(outcome.refusal.message)
}

/** Old documents go on, and new documents and jobs come. */
async function write(store: JournalStore, writer: number, isEnough: () => boolean): Promise<void> {
  for (let id = writer; id < DOCUMENTS && !isEnough(); id += WRITERS) {
    for (const state of PATH) await act(store, moveDocument(`d-${id}`, state))
    await act(store, moveDocument(`e-${id}`, 'fetching'))
    await act(store, submitJob(`j-${id}`, { inFlightLimit: DOCUMENTS }))
  }
}

it.each([
  ['all of it in memory', false],
  ['most of it in a snapshot', true],
])('a check finds nothing wrong while writers are busy: %s', async (_name, isCompacted) => {
  using place = scratch('check-while-writing')
  const folder = `${place.folder}/ledger`
  const store = await openJournal(folder, realWorld, {})
  const ids = Array.from({ length: DOCUMENTS }, (_, n) => `d-${n}`)
  await Promise.all(ids.map((id) => act(store, moveDocument(id, 'fetching'))))
  if (isCompacted) await store.maintain()
  const reader = await openJournal(folder, realWorld, { readOnly: true })
  let isEnough = false
  const writing = Array.from({ length: WRITERS }, (_, n) => write(store, n, () => isEnough))
  try {
    let before: number
    do {
      before = store.journal.lastSeq
      expect(await Promise.all([store.check(), reader.check()])).toEqual([[], []])
      // A disk may take longer for one write than all of that.
    } while (store.journal.lastSeq === before)
  } finally {
    isEnough = true
    await Promise.all(writing)
    await reader.close()
    await store.close()
  }
})
