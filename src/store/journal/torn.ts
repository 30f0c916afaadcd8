import type { JournalPlace, Torn } from './load-journal.ts'

/** Keeps what a crash left half-written, before the next batch is written over it. */
export async function cutTorn(
  { disk, folder, logger }: JournalPlace,
  { path, at, bytes }: Torn,
): Promise<void> {
  const kept = `${path}.${at}.torn`
  await keepBytes(disk, folder, kept, bytes)
  logger.warn(
    { code: 'TORN_BATCH', file: path, byte: at, bytes: bytes.length, kept },
    `${path}, byte ${at}: a crash cut off what was being written there; it was never acknowledged. Kept in ${kept}`,
  )
}

async function keepBytes(disk: JournalPlace['disk'], folder: string, path: string, bytes: Uint8Array) {
  const file = await disk.open(path)
  try {
    await file.truncate(0)
    await file.write(0, bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await disk.syncFolder(folder)
}
