// Takes a log over and says how far it is, until it is done or killed: `importing-child.ts <log> <ledger>`.
import { migrateLegacy } from '../../src/index.ts'

const [input, ledger] = process.argv.slice(2) as [string, string]
const report = await migrateLegacy(input, {
  ledger,
  onProgress: ({ lines }) => process.stdout.write(`${lines}\n`),
  // So that some are killed while a snapshot is being made.
  journal: { snapshotAfterBytes: 1024 * 1024 },
})
process.stdout.write(`${JSON.stringify(report)}\n`)
