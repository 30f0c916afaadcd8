import { describe, expect, it } from 'vitest'
import { type MigrateLegacyOptions, migrateLegacy } from '../../src/legacy-logs.ts'
import { openLedger } from '../../src/open-ledger.ts'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { SeededRandom } from '../../src/testing/seeded-random.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { contentsOf, logOf, readLog, writeLog } from './log-files.ts'

const LOG = '/logs/ledger.jsonl'
const STATES = ['auto_inflight', 'auto_done', 'strange', 'failed'] as const

/** Two batches and what comes of them, with a line that is rejected in each. */
const CONTENT = logOf(
  ...Array.from({ length: 1100 }, (_, n) =>
    n % 700 === 7
      ? `junk ${n}`
      : { doc_id: `d${n % 90}`, state: STATES[n % 4] as string, timestamp: 1.7e9 + n },
  ),
)

function worldOn(disk: CrashDisk) {
  return virtualWorld({ disk, startMs: Date.UTC(2026, 0, 1) })
}

async function diskWithLog(): Promise<CrashDisk> {
  const disk = new CrashDisk()
  await disk.makeFolder('/logs')
  await disk.syncFolder('/')
  await writeLog(disk, LOG, CONTENT)
  await disk.syncFolder('/logs')
  return disk
}

/** Everything that a migration leaves behind, apart from the files of the ledger, which are read. */
async function leftOn(disk: CrashDisk, hasLedger: boolean): Promise<object> {
  const files: { [path: string]: string } = {}
  for (const [path, bytes] of disk.files()) {
    if (path.startsWith('/logs/')) files[path] = Buffer.from(bytes).toString('utf8')
  }
  if (!hasLedger) return files
  await using ledger = await openLedger('/ledger', { world: worldOn(disk) })
  return { files, ...(await contentsOf(ledger)), findings: await ledger.check() }
}

const TARGETS: readonly [name: string, into: MigrateLegacyOptions][] = [
  ['into a ledger', { ledger: '/ledger' }],
  ['into its own place', { output: LOG }],
  ['into another file', { output: '/logs/new.jsonl' }],
]

describe.each(TARGETS)('A40: a migration %s that is cut off', (_, into) => {
  const migrate = (disk: CrashDisk) => migrateLegacy(LOG, { ...into, world: worldOn(disk) })
  const hasLedger = into.ledger !== undefined

  it('at any operation of the disk leaves the log intact, and is completed by the next', async () => {
    const before = await diskWithLog()
    const whole = before.afterKill()
    const report = await migrate(whole)
    const expected = await leftOn(whole, hasLedger)
    const migrated = await readLog(whole, LOG)
    const operations = whole.operations.length
    expect(operations).toBeGreaterThan(10)
    for (let n = 1; n <= operations; n++) {
      const disk = before.afterKill({ crashAt: n, seed: n })
      const cut = await migrate(disk).catch(() => null)
      if (cut !== null) continue
      const random = new SeededRandom(n)
      const survivors = n % 2 === 0 ? [disk.afterKill()] : [disk.afterCrash(random)]
      for (const survivor of survivors) {
        const where = `operation ${n}: ${JSON.stringify(disk.operations.at(-1))}`
        const log = String(await readLog(survivor, LOG))
        if (log !== CONTENT) expect(log, where).toBe(String(migrated))
        const backup = await readLog(survivor, `${LOG}.backup`)
        if (backup !== null) expect(String(backup), where).toBe(CONTENT)
        if (log !== CONTENT) expect(backup, where).not.toBeNull()
        const again = await migrate(survivor)
        expect(again.agrees, where).toBe(true)
        if (hasLedger) expect(again.migrated + again.already_imported, where).toBe(report.migrated)
        await expect(leftOn(survivor, hasLedger), where).resolves.toEqual(expected)
      }
    }
  })
})
