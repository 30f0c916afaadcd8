import { basename } from 'node:path'
import { keepBytes } from './keep-bytes.ts'
import type { JournalPlace, Torn } from './load-journal.ts'

/** Keeps what a crash left half-written, before the next batch is written over it. */
export async function cutTorn(
  { disk, folder, logger }: JournalPlace,
  { path, at, bytes }: Torn,
): Promise<void> {
  const kept = await keepBytes(disk, folder, { start: `${basename(path)}.${at}`, ending: '.torn', bytes })
  logger.warn(
    { code: 'TORN_BATCH', file: path, byte: at, bytes: bytes.length, kept },
    `${path}, byte ${at}: a crash cut off what was being written there; it was never acknowledged. Kept in ${kept}`,
  )
}
