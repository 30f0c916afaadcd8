import assert from 'node:assert/strict'
import { expect, it } from 'vitest'
import type { AuditRecord } from '../../../src/core/audit.ts'
import { LedgerLocked } from '../../../src/errors/journal-errors.ts'
import { openJournal } from '../../../src/store/journal/journal.ts'
import { START, type Store } from '../../../src/store/store.ts'
import { auditAll, findAll } from '../../../src/testing/conformance/reading.ts'
import { realWorld } from '../../../src/world/world.ts'
import { scratch } from '../../e2e/scratch.ts'
import { readLedger } from '../naive-reader.ts'
import { filesIn } from './acknowledged.ts'
import { Child } from './child-process.ts'
import { CALLERS, nameOfCaller } from './what-is-written.ts'

const PAGE = 1000
/** Enough for several snapshots. */
const LINES = 6000
const LOOKS = 25

it('lets one process write, and tells the second one who has it', async () => {
  using place = scratch('locked')
  const folder = `${place.folder}/ledger`
  const child = new Child('writing-child.ts', [folder, 'at once'])
  await child.saidLine('open')
  const error = await openJournal(folder, realWorld).then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(LedgerLocked)
  expect((error as LedgerLocked).message).toContain(`pid ${child.pid}`)
  expect((error as LedgerLocked).details).toMatchObject({ pid: child.pid })
  await child.kill()
  // The kernel frees it, however the process ended.
  const store = await openJournal(folder, realWorld)
  await store.close()
})

it('follows a process that writes and makes snapshots, and never sees anything torn', async () => {
  using place = scratch('followed')
  const folder = `${place.folder}/ledger`
  const child = new Child('writing-child.ts', [folder, 'at once'])
  await child.said(2)
  const complaints: unknown[] = []
  const note = (fields: object, message: string) => void complaints.push(message, fields)
  const logger = { ...realWorld.logger, warn: note, error: note }
  const store = await openJournal(folder, { ...realWorld, logger }, { readOnly: true })
  const follower = follow(store)
  const seen = new Map<number, number>()
  for (let look = 1; look <= LOOKS; look++) {
    await child.said((LINES * look) / LOOKS)
    await mustShow(store, child.lines.slice(), seen)
  }
  await child.kill()
  const { history } = readLedger(filesIn(folder), folder)
  await follower.reach(history.at(-1)?.seq as number)
  expect(follower.seqs).toEqual(history.map(({ seq }) => seq))
  expect(complaints).toEqual([])
  expect(
    filesIn(folder)
      .keys()
      .filter((path) => path.includes('/audit/'))
      .toArray().length,
  ).toBeGreaterThan(0)
  await store.close()
})

/** Whatever was acknowledged before it was asked for is there; nothing goes back; documents are where their history ends. */
async function mustShow(store: Store, lines: readonly string[], seen: Map<number, number>): Promise<void> {
  const told = new Map<number, number>()
  for (const line of lines) {
    const [what, caller, n] = line.split(' ')
    if (what === 'own') told.set(Number(caller), Number(n))
  }
  const documents = await findAll(store, { kind: 'document', limit: PAGE })
  for (let caller = 0; caller < CALLERS; caller++) {
    const id = nameOfCaller(caller)
    const document = documents.find(({ doc_id }) => doc_id === id)
    const n = (document?.metadata.n as number | undefined) ?? 0
    assert(n >= (told.get(caller) ?? 0), `${id} is at ${n}, and ${told.get(caller)} was acknowledged`)
    assert(n >= (seen.get(caller) ?? 0), `${id} is at ${n}, and was at ${seen.get(caller)} before`)
    seen.set(caller, n)
  }
  const records = await auditAll(store, { id: nameOfCaller(0), limit: PAGE })
  const moves = records.map(({ metadata }) => metadata.n)
  assert.deepEqual(
    moves,
    Array.from({ length: moves.length }, (_, n) => n + 1),
  )
  assert(moves.length >= (seen.get(0) ?? 0), 'the history is not behind the document')
}

/** Notes everything that a follower sees. */
function follow(store: Store) {
  const seqs: number[] = []
  const wanted = { seq: Number.POSITIVE_INFINITY, reached: Promise.withResolvers<void>() }
  const note = ({ seq }: AuditRecord) => {
    seqs.push(seq)
    if (seq >= wanted.seq) wanted.reached.resolve()
  }
  const following = (async () => {
    for await (const record of store.watch({ after: START })) note(record)
  })()
  following.catch((error: unknown) => wanted.reached.reject(error))
  return {
    seqs,
    reach: async (seq: number) => {
      wanted.seq = seq
      if ((seqs.at(-1) ?? 0) < seq) await wanted.reached.promise
    },
  }
}
