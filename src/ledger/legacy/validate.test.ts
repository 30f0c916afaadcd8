import { describe, expect, it } from 'vitest'
import { logOf, readLog, writeLog } from '../../../test/legacy/log-files.ts'
import { migrateLegacy, rollbackLegacy, validateLegacy } from '../../legacy-logs.ts'
import { virtualWorld } from '../../testing/virtual-world.ts'

const LOG = 'ledger.jsonl'
const AT = 1_700_000_000

async function worldWith(content: string) {
  const world = virtualWorld({ startMs: Date.UTC(2026, 0, 1) })
  await writeLog(world.disk, LOG, content)
  return world
}

function record(doc_id: string, old_state: string, new_state: string, more: object = {}): object {
  return { doc_id, old_state, new_state, timestamp: AT, adapter: '', metadata: {}, ...more }
}

async function problemsOf(content: string): Promise<string[]> {
  const world = await worldWith(content)
  const problems = await Array.fromAsync(validateLegacy(LOG, { world }))
  return problems.map(({ line, level, what }) => `${line} ${level}: ${what}`)
}

describe('A41: a log is validated', () => {
  it('without a finding when all is well', async () => {
    const steps = [
      record('a', 'pending', 'fetching'),
      record('b', 'pending', 'pending'),
      record('c', 'fetched', 'parsing'),
      record('a', 'fetching', 'fetched', { timestamp: AT + 5, error_type: null, worker: 5 }),
    ]
    expect(await problemsOf(logOf(...steps, ''))).toEqual([])
  })

  it('line by line', async () => {
    const content = logOf(
      record('a', 'pending', 'fetching'),
      record('a', 'fetching', 'completed'),
      record('a', 'completed', 'parsing', { metadata: { validated: false } }),
      record('a', 'fetching', 'parsed', { timestamp: AT + 9 }),
      record('a', 'parsed', 'validating', { timestamp: AT }),
      record('a', 'validating', 'validated', { timestamp: AT * 10 }),
      record('b', 'pending', 'strange'),
      { ...record('b', 'legacy', 'fetching'), adapter: null },
      record('b', 'legacy', 'parsing', { timestamp: 'soon' }),
      { doc_id: 'c', state: 'auto_done' },
      { new_state: 'fetching' },
      'junk',
    )
    expect(await problemsOf(`${content}{"doc_id`)).toEqual([
      '2 error: a went from fetching to completed',
      '3 warning: a went from completed to parsing',
      '4 error: a was parsing, not fetching',
      '5 error: a goes back by 9 s',
      expect.stringMatching(/^6 warning: a is \d+ s ahead$/),
      '7 error: the state "strange" is not known',
      '7 error: b went from pending to legacy',
      expect.stringMatching(/^8 error: it is not a whole audit record/),
      '9 error: "soon" is not a time',
      '9 error: b was fetching, not legacy',
      '9 error: b went from fetching to parsing',
      '10 error: it is a line of the old log, about c: take it over with waybill ledger migrate',
      '11 error: it has no doc_id',
      '12 error: it is not JSON',
      '13 error: it is cut off',
    ])
  })

  it('and says that it is not there', async () => {
    const world = await worldWith('')
    await expect(Array.fromAsync(validateLegacy('none', { world }))).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    })
  })

  it('until told to stop, and tells how far it is', async () => {
    const world = await worldWith(logOf(record('a', 'pending', 'fetching')))
    const seen: number[] = []
    await Array.fromAsync(validateLegacy(LOG, { world, onProgress: ({ done }) => seen.push(done) }))
    expect(seen).toEqual([0, (await readLog(world.disk, LOG))?.length])
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(Array.fromAsync(validateLegacy(LOG, { world, signal }))).rejects.toThrow('enough')
  })
})

describe('A40: a migration is rolled back', () => {
  const OLD = logOf({ doc_id: 'a', state: 'auto_inflight', timestamp: AT }, 'junk')

  it('to what the log was, and what it had become is kept', async () => {
    const world = await worldWith(OLD)
    await migrateLegacy(LOG, { output: LOG, world })
    const migrated = await readLog(world.disk, LOG)
    const backup = `${LOG}.backup`
    expect(await rollbackLegacy(LOG, { world })).toEqual({
      file: LOG,
      backup,
      restored: true,
      kept: `${LOG}.migrated`,
    })
    expect(String(await readLog(world.disk, LOG))).toBe(OLD)
    expect(await readLog(world.disk, `${LOG}.migrated`)).toEqual(migrated)
    expect(await rollbackLegacy(LOG, { world })).toEqual({ file: LOG, backup, restored: false, kept: null })
    // There and back again: the same is not kept twice, and what is different is kept beside it.
    await migrateLegacy(LOG, { output: LOG, world })
    expect(await rollbackLegacy(LOG, { world })).toMatchObject({ kept: `${LOG}.migrated` })
    await writeLog(world.disk, LOG, 'something else')
    expect(await rollbackLegacy(LOG, { world })).toMatchObject({ kept: `${LOG}.migrated-2` })
    await world.disk.remove(LOG)
    expect(await rollbackLegacy(LOG, { world })).toMatchObject({ restored: true, kept: null })
    expect(String(await readLog(world.disk, LOG))).toBe(OLD)
  })

  it('only when there is a backup', async () => {
    const world = await worldWith(OLD)
    await expect(rollbackLegacy(LOG, { world })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
    expect(String(await readLog(world.disk, LOG))).toBe(OLD)
  })
})
