// Makes the ledger of a format version, to be kept as it is for as long as that version is read:
//
//   node --conditions=waybill-source test/compat/make-fixture.ts && npm run fix
//
// The same program makes the same texts again; how they are compressed depends on Node's zlib.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DELTA_VERSION } from '../../src/store/journal/delta/read-delta.ts'
import { compareFiles } from '../crash/compare-ledger.ts'
import { FOLDER } from '../crash/life.ts'
import { contentOf } from './fixture-content.ts'
import { fixtureLedger } from './fixture-ledger.ts'

const VERSION = `v${DELTA_VERSION}`

const folder = join(import.meta.dirname, VERSION)
rmSync(folder, { recursive: true, force: true })
const { disk, expected } = await fixtureLedger()
for (const [path, bytes] of disk.files()) {
  const name = path.slice(FOLDER.length + 1)
  if (name.startsWith('LOCK')) continue
  const target = join(folder, 'ledger', name)
  mkdirSync(dirname(target), { recursive: true })
  // Without the blank lines ahead: they are many.
  const text = name.startsWith('delta-') ? `${Buffer.from(bytes).toString('utf8').trimEnd()}\n` : bytes
  writeFileSync(target, text)
}
const content = contentOf(compareFiles(disk.files(), FOLDER, expected), expected)
writeFileSync(join(folder, 'content.json'), `${JSON.stringify(content, null, 2)}\n`)
