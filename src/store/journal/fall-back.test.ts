import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Ledger } from '../../ledger/ledger.ts'
import { DEFAULT_SETTINGS } from '../../ledger/settings.ts'
import { type VirtualWorld, virtualWorld } from '../../testing/virtual-world.ts'
import type { Finding } from '../store.ts'
import { openJournal } from './journal.ts'
import type { JournalStore } from './journal-store.ts'

const FOLDER = '/ledger'

async function open(world: VirtualWorld): Promise<{ ledger: Ledger; store: JournalStore }> {
  const store = await openJournal(FOLDER, world, { snapshotSchedule: null })
  return { store, ledger: new Ledger(store, DEFAULT_SETTINGS, world) }
}

/** Documents that are at rest when this is done. */
async function complete(ledger: Ledger, ids: readonly string[]): Promise<void> {
  for (const id of ids) await ledger.documents.updateState(id, 'skipped', { metadata: { id } })
}

/** Changes a byte of the newest snapshot where it has this document. */
async function damageNewestSnapshot({ disk }: VirtualWorld, id: string): Promise<string> {
  const name = (await disk.list(FOLDER)).filter((one) => one.startsWith('snapshot-')).at(-1)
  const path = `${FOLDER}/${name}`
  const file = await disk.open(path)
  const bytes = Buffer.from(await file.read(0, await file.size()))
  const at = startOfMembers(bytes).find((start, index, starts) => {
    const text = gunzipSync(bytes.subarray(start, starts[index + 1])).toString()
    return text.startsWith(`"${id}":`)
  })
  if (at === undefined) throw new Error(`no block starts with ${id}`)
  await file.write(at + 20, Buffer.from([~(bytes[at + 20] as number)]))
  await file.close()
  return path
}

function startOfMembers(bytes: Buffer): readonly number[] {
  const starts: number[] = []
  for (let at = 0; at !== -1; at = bytes.indexOf(MEMBER, at + 1)) starts.push(at)
  return starts
}

const MEMBER = Buffer.from([0x1f, 0x8b, 0x08])

const FIRST = ['a', 'b', 'c']
const SECOND = ['d', 'e', 'f']

async function twoSnapshots(): Promise<VirtualWorld> {
  const world = virtualWorld()
  const { ledger } = await open(world)
  await complete(ledger, FIRST)
  await ledger.compact()
  await world.advanceBy(1000)
  await complete(ledger, SECOND)
  await ledger.documents.updateState('open', 'fetching')
  await ledger.compact()
  await ledger.close()
  return world
}

async function removeAudit({ disk }: VirtualWorld): Promise<void> {
  for (const name of await disk.list(`${FOLDER}/audit`)) await disk.remove(`${FOLDER}/audit/${name}`)
}

function submit(ledger: Ledger, idempotency_key: string) {
  ledger.jobs.register({
    protocol_id: 'p.v1',
    request_type: 'P',
    steps: [{ step_id: 's', step_type: 'S', service: 'svc', delivery: 'pull' }],
  })
  return ledger.jobs.submit({
    tenant_id: 'default',
    request_type: 'P',
    input_ref: 'in',
    output_ref: 'out',
    payload: {},
    schema_version: 'v1',
    idempotency_key,
  })
}

/** The delta after the second one says what changed of a job, and only that. */
async function jobsAfterTwoSnapshots() {
  const world = virtualWorld()
  const { ledger } = await open(world)
  await complete(ledger, ['readable'])
  const { job_id } = await submit(ledger, 'first')
  await ledger.compact()
  await world.advanceBy(1000)
  await submit(ledger, 'second')
  await ledger.compact()
  await ledger.jobs.cancel(job_id)
  await submit(ledger, 'third')
  await ledger.close()
  return { world, job_id }
}

/** Where damage was found. */
function filesOf(findings: readonly Finding[]): readonly string[] {
  return [
    ...new Set(
      findings.filter(({ damage }) => damage).map(({ where }) => where.split(', byte')[0] as string),
    ),
  ]
}

describe('a snapshot that turns out to be damaged when it is read', () => {
  it('A38 is replaced by the one before it and the history since, with a warning', async () => {
    const world = await twoSnapshots()
    const damaged = await damageNewestSnapshot(world, 'a')
    const { ledger, store } = await open(world)
    expect(store.journal.image.base?.path).toBe(damaged)
    for (const id of [...FIRST, ...SECOND]) {
      expect(await ledger.documents.get(id)).toMatchObject({ state: 'skipped', metadata: { id } })
    }
    expect(await ledger.documents.getState('open')).toBe('fetching')
    expect(await ledger.documents.get('never')).toBeNull()
    expect(store.journal.image.base?.path).not.toBe(damaged)
    expect(world.logged.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { file: damaged } },
    ])
    expect((await ledger.documents.list()).items).toHaveLength(7)
    expect(await ledger.counts('document')).toMatchObject({ skipped: 6, fetching: 1 })
    await ledger.close()
  })

  it('is replaced also when a job is needed from it to open the ledger', async () => {
    const { world, job_id } = await jobsAfterTwoSnapshots()
    const damaged = await damageNewestSnapshot(world, job_id)
    const { ledger, store } = await open(world)
    expect(store.journal.image.base?.path).not.toBe(damaged)
    expect(world.logged.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { file: damaged } },
    ])
    await submit(ledger, 'one more')
    expect(await ledger.counts('job')).toMatchObject({ CANCELLED: 1, QUEUED: 3 })
    expect(filesOf(await ledger.check())).toEqual([damaged])
    await ledger.close()
  })

  it('opens for reading only when there is nothing to go back to', async () => {
    const { world, job_id } = await jobsAfterTwoSnapshots()
    const damaged = await damageNewestSnapshot(world, job_id)
    await removeAudit(world)
    const { ledger } = await open(world)
    expect(await ledger.documents.getState('readable')).toBe('skipped')
    await expect(submit(ledger, 'one more')).rejects.toMatchObject({
      code: 'LEDGER_DAMAGED',
      place: { file: damaged },
    })
    await ledger.close()
  })

  it('does not get into the next snapshot', async () => {
    const world = await twoSnapshots()
    const damaged = await damageNewestSnapshot(world, 'a')
    const { ledger } = await open(world)
    await complete(ledger, ['g'])
    expect(await ledger.compact()).toMatchObject({ compacted: true })
    await ledger.close()
    const { ledger: again } = await open(world)
    expect((await again.documents.list()).items.map(({ doc_id }) => doc_id)).toEqual([
      ...[...FIRST, ...SECOND, 'g'],
      'open',
    ])
    // It is still there, and is told of; nothing else is wrong.
    expect(filesOf(await again.check())).toEqual([damaged])
    await again.close()
  })

  it('is an error that names the place when there is nothing to go back to', async () => {
    const world = virtualWorld()
    const { ledger } = await open(world)
    await complete(ledger, FIRST)
    await ledger.compact()
    await ledger.close()
    const damaged = await damageNewestSnapshot(world, 'a')
    await removeAudit(world)
    const { ledger: again } = await open(world)
    await expect(again.documents.get('b')).rejects.toMatchObject({
      code: 'LEDGER_DAMAGED',
      place: { file: damaged },
    })
    await again.close()
  })
})
