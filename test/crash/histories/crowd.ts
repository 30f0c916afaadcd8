import type { Command } from '../../../src/core/command.ts'
import {
  freshJob,
  moveDocument,
  onJob,
  report,
  SUCCESS,
  submitJob,
  TENANT,
} from '../../../src/testing/conformance/commands.ts'
import type { Life } from '../life.ts'
import type { ScriptedHistory } from './scripted-history.ts'

const CALLERS = 6

/** Longer than what a file is filled ahead for. */
const LARGE = 'x'.repeat(70_000)

/**
 * Many callers at once on the same and on different documents, and with jobs that are alike, so that batches fill while others are being written, and
 * snapshots that begin by themselves meanwhile; and batches that are too large to fill the file ahead of them. Old
 * history goes.
 */
export const crowd: ScriptedHistory = {
  name: 'crowd',
  journal: { snapshotSchedule: null, snapshotAfterBytes: 8000, keepSnapshots: 1, keepHistoryMs: 0 },
  isSlow: true,
  async play(life) {
    await life.open()
    await Promise.all(Array.from({ length: CALLERS }, (_, n) => caller(life, n)))
    await life.together(ALIKE.map((id) => freshJob(id)))
    await life.together(ALIKE.map((id) => onJob('claimStep', id)))
    await life.together(await succeeded(life, ALIKE))
    await life.pass(1000)
    await Promise.all([life.maintain(), life.together(moves('shared-2'))])
    await life.do(moveDocument('large', 'fetching', { metadata: { LARGE } }))
    await life.do(moveDocument('large', 'failed'))
    await life.close()
  },
}

const ALIKE = ['alike-1', 'alike-2', 'alike-3']

/** What whoever has the first step of each of these jobs says of it. */
async function succeeded(life: Life, ids: readonly string[]): Promise<readonly Command[]> {
  const jobs = await Promise.all(ids.map((id) => life.store.load({ kind: 'job', tenant_id: TENANT, id })))
  return jobs.flatMap((job) => (job?.steps[0] === undefined ? [] : report(job.steps[0], SUCCESS)))
}

async function caller(life: Life, n: number): Promise<void> {
  await life.act(moveDocument(`own-${n}`, 'fetching', { actor: `caller-${n}` }))
  await life.act(moveDocument('shared', n % 2 === 0 ? 'fetching' : 'fetched', { actor: `caller-${n}` }))
  await life.act(freshJob(`fresh-${n}`))
  await life.act(submitJob(`job-${n % 3}`, { idempotency_key: `key-${n % 3}`, payload: { n: n % 3 } }))
}

function moves(doc_id: string): Command[] {
  return [
    moveDocument(doc_id, 'fetching'),
    moveDocument(doc_id, 'fetched'),
    moveDocument(doc_id, 'parsing'),
    moveDocument('own-1', 'failed'),
    moveDocument('own-2', 'fetched'),
  ]
}
