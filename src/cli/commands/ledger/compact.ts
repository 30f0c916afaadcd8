import { Option } from 'commander'
import { FileExists } from '../../../errors/file-errors.ts'
import type { OnProgress } from '../../../store/progress.ts'
import type { Disk } from '../../../world/disk.ts'
import { defineCommand } from '../../define-command.ts'
import { safeText } from '../../output/safe-text.ts'
import { bytesText, countOf } from '../../output/words.ts'

interface Options {
  readonly output?: string
}

/** A snapshot is copied in pieces of this size. */
const PIECE_BYTES = 4 * 1024 * 1024

export const ledgerCompact = defineCommand<Options>({
  name: 'compact',
  summary: 'make a snapshot, and seal the history that led there',
  about:
    'Makes a snapshot of everything and seals the history that led there, so that the ledger opens quickly. A ledger ' +
    'that is in use does so by itself, every day and when much was written. Nothing is lost: old snapshots go when ' +
    'there are more than seven, the history stays. With --output the snapshot is copied to a file of your own as well.',
  options: [
    new Option('--output <file>', 'copy the snapshot there, too; a file that exists is not overwritten'),
  ],
  examples: [
    ['ledger compact', 'before a backup, or after importing much'],
    ['ledger compact --output /backup/waybill-today.json.gz', 'and keep a copy elsewhere'],
    ['ledger compact --output today.json.gz && zcat today.json.gz | head -1', 'what is in it? JSON'],
  ],
  exits: [
    [4, 'the file of --output exists already'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, { output }) {
    const { disk } = (await import('../../../world/world.ts')).realWorld
    if (output !== undefined) await mustNotExist(disk, output)
    const ledger = await session.openToWrite()
    const report = await session.withProgress((onProgress) => ledger.compact({ onProgress }))
    const { snapshot } = report
    if (output !== undefined && snapshot !== null) {
      await session.withProgress((onProgress) => copyFile(disk, snapshot.path, output, onProgress))
    }
    if (session.isJson) return session.json({ ...report, output: output ?? null })
    const { out } = session
    if (snapshot === null) return out.line('The ledger is empty: there is nothing to make a snapshot of.')
    const what = report.compacted ? 'Made' : 'Nothing happened since'
    await out.line(
      `${what} ${safeText(snapshot.path)} (${bytesText(snapshot.bytes)}, up to seq ${snapshot.seq})`,
    )
    if (report.removed_audit_records > 0) {
      await out.line(
        `Removed ${countOf(report.removed_audit_records, 'record')} of history that was past its time`,
      )
    }
    if (output !== undefined) await out.line(`Copied it to ${safeText(output)}`)
  },
})

async function mustNotExist(disk: Disk, path: string): Promise<void> {
  const file = await disk.openToRead(path)
  if (file === null) return
  await file.close()
  throw new FileExists(path, 'Nothing was done. Give another name, or move that file away.')
}

/** The name appears when everything is there and durable: whoever finds the file finds all of it. */
async function copyFile(disk: Disk, from: string, to: string, onProgress: OnProgress): Promise<void> {
  const unfinished = `${to}.tmp`
  const source = await disk.openToRead(from)
  if (source === null) throw new Error(`the snapshot ${from} is gone`)
  try {
    const target = await disk.open(unfinished)
    try {
      await target.truncate(0)
      const size = await source.size()
      for (let at = 0; at < size; at += PIECE_BYTES) {
        await target.write(at, await source.read(at, PIECE_BYTES))
        onProgress({ done: Math.min(at + PIECE_BYTES, size), total: size, what: 'copy' })
      }
      await target.sync()
    } finally {
      await target.close()
    }
    await mustNotExist(disk, to)
    await disk.rename(unfinished, to)
  } catch (error) {
    await disk.remove(unfinished)
    throw error
  } finally {
    await source.close()
  }
}
