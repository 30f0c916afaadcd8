import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { whyNoProgram } from '../e2e/debian-package.ts'
import { environment } from '../e2e/environment.ts'
import { scratch } from '../e2e/scratch.ts'

const CHILD = join(import.meta.dirname, 'submitting-child.ts')

/** Bytes that went into the write-ahead log, and those that came to the disk; and what was said to whoever asked. */
const WRITTEN = /pwrite64\(\d+<[^>]*-wal>/
const SYNCED = /(?:fsync|fdatasync)\(\d+<[^>]*-wal>\)\s+= 0/
const SYNC_BEGUN = /(?:fsync|fdatasync)\(\d+<[^>]*-wal> <unfinished/
const SYNC_ENDED = /<\.\.\. (?:fsync|fdatasync) resumed>\)\s+= 0/
const ACKNOWLEDGED = /write\(1<[^>]*>, "acknowledged/
const BEGUN = /write\(1<[^>]*>, "begun/

it('what is acknowledged has come to the disk', async ({ skip }) => {
  const reason = await whyNoProgram('strace')
  if (reason !== null) skip(reason)
  using place = scratch('durable')
  const trace = join(place.folder, 'trace')
  const argv = ['-f', '-y', '-o', trace, '-e', 'trace=pwrite64,fsync,fdatasync,write']
  const child = [process.execPath, '--conditions=waybill-source', CHILD, `sqlite:${place.folder}/ledger.db`]
  execFileSync('strace', [...argv, ...child], { env: environment(), timeout: 60_000, stdio: 'pipe' })
  let written = 0
  /** What was written before a thread began to sync, by thread; and before the last one that is over began. */
  const syncing = new Map<string, number>()
  let synced = 0
  let acknowledged = 0
  let begun = 0
  const lines = readFileSync(trace, 'utf8').split('\n')
  // The other thread puts in its place what is durable already.
  const answering = lines.find((line) => BEGUN.test(line))?.split(' ')[0]
  for (const line of lines) {
    const [thread = ''] = line.split(' ')
    if (WRITTEN.test(line)) written += thread === answering ? 1 : 0
    else if (SYNCED.test(line)) synced = written
    else if (SYNC_BEGUN.test(line)) syncing.set(thread, written)
    else if (SYNC_ENDED.test(line)) synced = Math.max(synced, syncing.get(thread) ?? 0)
    else if (BEGUN.test(line)) {
      begun++
      expect(synced, line).toBeGreaterThan(0)
      // Later ones are begun while results of others are written.
      if (begun > 40) expect(synced, line).toBe(written)
    } else if (ACKNOWLEDGED.test(line)) {
      acknowledged++
      expect(synced, `${line}: ${written} writes`).toBeGreaterThan(0)
      if (acknowledged <= 40) expect(synced, line).toBe(written)
    }
  }
  expect(begun).toBe(40 + 10)
  expect(acknowledged).toBe(40 + 10 + 20 + 40 + 60 + 80 + 100)
})
