import { moveDocument } from '../../../src/testing/conformance/commands.ts'
import type { Life } from '../life.ts'
import type { ScriptedHistory } from './scripted-history.ts'

const ERROR = {
  error_type: 'ParseError',
  error_message: 'línea 3: unexpected end',
  traceback: 'at parse\n at run',
}

/**
 * Documents: new ones, moved ones, failed and retried ones, several at once, refusals; four snapshots of which two are
 * kept, one of them while others write; closed in good order and opened again.
 */
export const documents: ScriptedHistory = {
  name: 'documents',
  journal: { snapshotSchedule: null, keepSnapshots: 2 },
  async play(life) {
    await life.open()
    await begin(life)
    await life.maintain()
    await comeBack(life)
    await Promise.all([life.maintain(), beside(life)])
    await life.reopen()
    await life.pass(1)
    await life.do(moveDocument('b', 'retrying', { retry_count: 2, max_retries: 5 }))
    await life.maintain()
    await life.do(moveDocument('late', 'skipped'))
    await life.reopen()
    await life.maintain()
    await life.do(moveDocument('c', 'completed'))
    await life.close()
  },
}

async function begin(life: Life): Promise<void> {
  await life.do(moveDocument('a', 'fetching', { adapter: 'pubmed', metadata: { source: 'pubmed', n: 1 } }))
  await life.together([
    moveDocument('b', 'fetching', { tenant_id: 'default' }),
    moveDocument('b', 'fetching'),
    moveDocument('a', 'fetched', { metadata: { size: 3.5 } }),
    // Refused, and kept with the others of its batch: it is fetching by now.
    moveDocument('b', 'indexed'),
    moveDocument('ä "\\ 漢\u2028', 'skipped', { metadata: { '🙂': [null, { a: [] }] } }),
  ])
  await life.pass(1234)
  await life.do(moveDocument('b', 'failed', { error: ERROR, reason: 'no luck' }))
  await life.refusal(moveDocument('a', 'completed'))
  await life.refusal(moveDocument('a', 'parsing', { if_match: 'stale' }))
}

/** What rests is only in the snapshot by now. */
async function comeBack(life: Life): Promise<void> {
  await life.refusal(moveDocument('ä "\\ 漢\u2028', 'fetching'))
  await life.together([
    moveDocument('b', 'retrying'),
    moveDocument('b', 'fetching'),
    moveDocument('c', 'fetching'),
    moveDocument('c', 'legacy'),
    moveDocument('c', 'embedding', { validate: false }),
  ])
}

async function beside(life: Life): Promise<void> {
  await life.do(moveDocument('a', 'parsing'))
  await life.together([moveDocument('b', 'failed'), moveDocument('d', 'fetching', { tenant_id: 'Zeta' })])
  await life.do(moveDocument('a', 'parsed'))
}
