import { basename, join } from 'node:path'
import { Option } from 'commander'
import { durationMs } from '../../../core/duration.ts'
import { FileExists } from '../../../errors/file-errors.ts'
import { InvalidInput, Unsupported } from '../../../errors/input-errors.ts'
import { isFolder } from '../../../store/open-store.ts'
import type { OnProgress } from '../../../store/progress.ts'
import type { MaintenanceReport, SnapshotReport } from '../../../store/store.ts'
import type { Disk } from '../../../world/disk.ts'
import { isThere } from '../../../world/is-there.ts'
import { NewFile, unfinishedPath } from '../../../world/new-file.ts'
import { defineCommand } from '../../define-command.ts'
import { safeText } from '../../output/safe-text.ts'
import { bytesText, countOf } from '../../output/words.ts'
import type { Session } from '../../session.ts'

interface Options {
  readonly output?: string
  readonly keepHistory?: number
}

export const ledgerCompact = defineCommand<Options>({
  name: 'compact',
  summary: 'make a snapshot, and seal the history that led there',
  about:
    'Makes a snapshot of everything and seals the history that led there, so that the ledger opens quickly. A ledger ' +
    'that is in use does so by itself, every day and when much was written. Nothing is lost: old snapshots go when ' +
    'there are more than seven, the history stays. With --output the snapshot is copied to a file of your own as well. ' +
    'A ledger in a database has no snapshots; a program that has one open clears up once an hour, single commands do not: ' +
    'where there are only those, have this run once a day. With --keep-history the history that is older is removed for good.',
  options: [
    new Option('--output <file>', 'copy the snapshot there, too; a file that exists is not overwritten'),
    new Option('--keep-history <time>', 'remove history that is older: 90d; none unless told').argParser(
      kept,
    ),
  ],
  examples: [
    ['ledger compact', 'before a backup, or after importing much'],
    ['ledger compact --keep-history 90d', 'and let go of what is older, for good'],
    ['ledger compact --output /backup/waybill-today.json.gz', 'and keep a copy elsewhere'],
    ['ledger compact --output today.json.gz && zcat today.json.gz | head -1', 'what is in it? JSON'],
  ],
  exits: [
    [2, 'a ledger in a database has no snapshot for --output'],
    [4, 'the file of --output exists already'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, { output, keepHistory }) {
    if (output === undefined) return compact(session, null, keepHistory)
    if (!isFolder(session.options.ledger)) throw noSnapshots()
    const { disk } = (await import('../../../world/world.ts')).realWorld
    // Before the work, so that a mistake in the name is noticed while nothing has been done.
    await mustNotExist(disk, output)
    // It would be overwritten and removed, and may be somebody's.
    await mustNotExist(disk, unfinishedPath(output))
    const copy = await NewFile.create(disk, output)
    try {
      await compact(session, { disk, copy }, keepHistory)
    } finally {
      await copy.discard()
    }
  },
})

interface Target {
  readonly disk: Disk
  readonly copy: NewFile
}

async function compact(
  session: Session,
  target: Target | null,
  keepHistoryMs: number | undefined,
): Promise<void> {
  const { out } = session
  const ledger = await session.openToChange({ keepHistoryMs })
  if (session.serverUrl !== null && keepHistoryMs !== undefined) throw keptByServer(session.serverUrl)
  const report = await session.withProgress(async (onProgress) =>
    asSeenHere(session, await ledger.compact({ onProgress })),
  )
  const { snapshot } = report
  if (target !== null && snapshot !== null) {
    await session.withProgress((onProgress) => fill(target, snapshot.path, onProgress))
  }
  if (session.isJson) return session.json({ ...report, output: target?.copy.path ?? null })
  if (snapshot !== null) await tellSnapshot(session, report, snapshot)
  else if (isFolder(session.options.ledger)) {
    await out.line('The ledger is empty: there is nothing to make a snapshot of.')
  } else await out.line('Cleared up. A ledger in a database has no snapshots to make.')
  if (report.removed_audit_records > 0) {
    await out.line(
      `Removed ${countOf(report.removed_audit_records, 'record')} of history that was past its time`,
    )
  }
  if (target !== null) await out.line(`Copied it to ${safeText(target.copy.path)}`)
}

/** The server may have been started elsewhere: the file is where the ledger is. */
function asSeenHere({ options, serverUrl }: Session, report: MaintenanceReport): MaintenanceReport {
  const { snapshot } = report
  if (serverUrl === null || snapshot === null || !isFolder(options.ledger)) return report
  return { ...report, snapshot: { ...snapshot, path: join(options.ledger, basename(snapshot.path)) } }
}

function keptByServer(server: string): InvalidInput {
  const message = `The server at ${server} has the ledger, and keeps its history as it was told when it began`
  const next = 'Leave out --keep-history; or end the server, do this, and start it again.'
  return new InvalidInput('keep-history', message, next)
}

async function tellSnapshot(
  { out }: Session,
  { compacted }: MaintenanceReport,
  { path, bytes, seq }: SnapshotReport,
): Promise<void> {
  const what = compacted ? 'Made' : 'Nothing happened since'
  await out.line(`${what} ${safeText(path)} (${bytesText(bytes)}, up to seq ${seq})`)
}

function kept(text: string): number {
  const ms = durationMs(text)
  if (ms !== null) return ms
  throw new InvalidInput(
    'keep-history',
    `${text} is not a span of time`,
    'Give a number and a unit, such as 90d.',
  )
}

function noSnapshots(): Unsupported {
  const next =
    'Leave out --output. A copy is made with pg_dump, with VACUUM INTO in SQLite, or with waybill ledger copy.'
  return new Unsupported('snapshots, which are for ledgers in folders', next)
}

async function fill({ disk, copy }: Target, from: string, onProgress: OnProgress): Promise<void> {
  const source = await disk.openToRead(from)
  if (source === null) throw new Error(`${from} is gone`)
  try {
    const total = await source.size()
    await copy.addFile(source, (done) => onProgress({ what: 'copy', done, total }))
  } finally {
    await source.close()
  }
  await copy.sync()
  await mustNotExist(disk, copy.path)
  await copy.finish()
}

async function mustNotExist(disk: Disk, path: string): Promise<void> {
  if (!(await isThere(disk, path))) return
  throw new FileExists(path, 'Nothing is overwritten. Give another name, or move that file away.')
}
