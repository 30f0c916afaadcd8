import { expect, it } from 'vitest'
import { openLedger, type Progress } from '../../src/index.ts'
import { scratch } from '../e2e/scratch.ts'

it('says how far a snapshot and a check have come, to the very end, and what came of it', async () => {
  using place = scratch('progress')
  await using ledger = await openLedger(`${place.folder}/ledger`, { journal: { snapshotSchedule: null } })
  const updates = Array.from({ length: 3000 }, (_, i) => ({ doc_id: `d${i}`, state: 'fetching' as const }))
  await ledger.documents.updateMany(updates)
  const heard: Progress[] = []
  const onProgress = (progress: Progress) => void heard.push(progress)
  const { snapshot } = await ledger.documents.createSnapshot({ onProgress })
  expect(snapshot).toMatchObject({
    seq: 3000,
    document_count: 3000,
    path: expect.stringContaining('snapshot-'),
  })
  expect(snapshot?.bytes).toBeGreaterThan(1000)
  await ledger.check({ onProgress })
  const last = new Map(heard.map((progress) => [progress.what, progress]))
  expect([...last.keys()]).toEqual(['snapshot', 'history', 'records'])
  for (const { done, total } of last.values()) expect(done).toBe(total)
  // Nothing new: the snapshot that there is.
  expect(await ledger.compact()).toEqual({ compacted: false, removed_audit_records: 0, snapshot })
})
