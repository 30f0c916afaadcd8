// Opens a ledger in a process that has done nothing else: `open-probe.mjs <built package> <ledger's folder>`. Not in
// TypeScript, since stripping its types would take memory that is then counted as the ledger's.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const startedMs = performance.now()
const [built = '', folder = ''] = process.argv.slice(2)
const load = (path) => import(pathToFileURL(join(built, path)).href)
const { openLedger } = await load('index.js')
// What opening would load by itself: how fast modules load says nothing about the ledger.
await load('store/journal/journal.js')
await import('node:sqlite')
const loadedMs = performance.now()
// Cached ledgers are days old, or have a long delta, and would have a snapshot made at once.
const journal = { snapshotSchedule: null, snapshotAfterBytes: Number.MAX_SAFE_INTEGER }
const cpu = process.cpuUsage()
const ledger = await openLedger(folder, { journal })
const openedMs = performance.now()
const { user, system } = process.cpuUsage(cpu)
const rssBytes = process.memoryUsage.rss()
const counts = await ledger.counts('document')
const documents = Object.values(counts).reduce((sum, n) => sum + n, 0)
await ledger.close()
const said = {
  startMs: startedMs,
  loadMs: loadedMs - startedMs,
  openMs: openedMs - loadedMs,
  cpuMs: (user + system) / 1000,
  rssBytes,
  documents,
}
process.stdout.write(JSON.stringify(said))
