// A small ledger with everything in it: two snapshots, two sealed segments, and a delta with several batches. It is damaged
// byte by byte, and what comes of it is compared with what was in it.
import { moveDocument, onJob, report, SUCCESS, submitJob } from '../../../src/testing/conformance/commands.ts'
import { CrashDisk } from '../../../src/testing/crash-disk.ts'
import type { DiskFile } from '../../../src/world/disk.ts'
import { FOLDER, Life } from '../life.ts'
import type { Written } from '../witness.ts'

export const JOURNAL = { snapshotSchedule: null }

export interface SmallLedger {
  readonly disk: CrashDisk
  readonly written: readonly Written[]
  /** How many commits had been written after each batch of the delta, the first of them before any. */
  readonly boundaries: readonly number[]
  readonly deltaPath: string
  /** Oldest first. */
  readonly snapshots: readonly string[]
  readonly segments: readonly string[]
}

export type Ending = 'closed' | 'crashed'

/** Jobs make long lines, of which every byte has to be damaged. */
export type Content = 'documents' | 'documents and a job'

export async function smallLedger(
  ending: Ending,
  content: Content = 'documents and a job',
): Promise<SmallLedger> {
  const life = new Life({ disk: new CrashDisk(), journal: JOURNAL })
  await life.open()
  await beforeFirst(life, content)
  await life.maintain()
  await beforeSecond(life, content)
  await life.maintain()
  const boundaries = await delta(life, content)
  if (ending === 'closed') await life.close()
  const disk = await tidied(life.disk)
  const paths = [...disk.files().keys()].sort()
  return {
    disk,
    written: life.witness.acknowledged(),
    boundaries,
    deltaPath: paths.find((path) => path.includes('/delta-')) as string,
    snapshots: paths.filter((path) => path.includes('/snapshot-')),
    segments: paths.filter((path) => path.includes('/audit/')),
  }
}

async function beforeFirst(life: Life, content: Content): Promise<void> {
  await life.do(moveDocument('rests', 'skipped', { metadata: { of: 'first' } }))
  await life.do(moveDocument('moves', 'fetching'))
  await life.refusal(moveDocument('rests', 'fetching'))
  if (content !== 'documents') await life.do(submitJob('job-0', { idempotency_key: 'key-0' }))
}

async function beforeSecond(life: Life, content: Content): Promise<void> {
  if (content !== 'documents') {
    const { step } = await life.do(onJob('claimStep', 'job-0'))
    await life.do(report(step, SUCCESS))
  }
  await life.do(moveDocument('moves', 'fetched', { tenant_id: 'acme' }))
  await life.do(moveDocument('other', 'completed', { validate: false, tenant_id: 'default' }))
}

/** Batches of one line and of several. */
async function delta(life: Life, content: Content): Promise<number[]> {
  const boundaries = [life.witness.acknowledged().length]
  const batch = async (write: () => Promise<unknown>) => {
    await write()
    boundaries.push(life.witness.acknowledged().length)
  }
  await batch(() => life.do(moveDocument('new', 'fetching', { metadata: { n: 1 } })))
  await batch(() =>
    life.together([
      moveDocument('one', 'fetching'),
      moveDocument('one', 'completed'),
      moveDocument('two', 'skipped', { tenant_id: 'Zeta' }),
    ]),
  )
  const hasJob = content !== 'documents'
  if (hasJob) await batch(() => life.do(submitJob('job-1', { idempotency_key: 'key-1', payload: { ü: 1 } })))
  await batch(() => life.do(moveDocument('new', 'fetched')))
  if (hasJob) await batch(() => life.do(onJob('claimStep', 'job-1')))
  await batch(() =>
    life.batch([moveDocument('rests', 'legacy', { validate: false }), moveDocument('moves', 'parsing')]),
  )
  return boundaries
}

/** Without the blank lines at the end of the delta, and without a lock. */
async function tidied(disk: CrashDisk): Promise<CrashDisk> {
  const copy = disk.afterKill()
  for (const [path, bytes] of copy.files()) {
    if (!path.includes('/delta-')) continue
    const text = Buffer.from(bytes).toString('latin1')
    await withFile(copy, path, (file) => file.truncate(`${text.trimEnd()}\n`.length))
  }
  await copy.remove(`${FOLDER}/LOCK.json`)
  return copy.afterKill()
}

export async function withFile(
  disk: CrashDisk,
  path: string,
  change: (file: DiskFile) => Promise<void>,
): Promise<void> {
  const file = await disk.open(path)
  await change(file)
  await file.close()
}

/** A copy with one byte changed. */
export async function flipped(disk: CrashDisk, path: string, at: number, to: number): Promise<CrashDisk> {
  const copy = disk.afterKill()
  await withFile(copy, path, (file) => file.write(at, Uint8Array.of(to)))
  return copy
}

export async function truncated(disk: CrashDisk, path: string, size: number): Promise<CrashDisk> {
  const copy = disk.afterKill()
  await withFile(copy, path, (file) => file.truncate(size))
  return copy
}

/** A copy with other bytes in place of a part. */
export async function overwritten(
  disk: CrashDisk,
  path: string,
  at: number,
  bytes: Uint8Array,
): Promise<CrashDisk> {
  const copy = disk.afterKill()
  await withFile(copy, path, (file) => file.write(at, bytes))
  return copy
}

/** All files but those that say who has the ledger open. */
export function filesOf(disk: CrashDisk): ReadonlyMap<string, string> {
  const entries = [...disk.files()].filter(([path]) => !path.includes('/LOCK'))
  return new Map(entries.map(([path, bytes]) => [path, Buffer.from(bytes).toString('latin1')]))
}
