import { expect, it } from 'vitest'
import { sourceFile } from './source-file.ts'
import { worldAccess } from './world-access.ts'

const check = (path: string, text: string) =>
  worldAccess.check(sourceFile(path, text)).map(({ what }) => what)

it.each([
  ['Date.now()', 'uses Date.now'],
  ['const now = Date.now', 'uses Date.now'],
  ['new Date()', 'reads the clock by new Date()'],
  ['Date()', 'calls Date()'],
  ['performance.now()', 'uses performance.now'],
  ['globalThis.performance.now()', 'uses performance.now'],
  ['Math.random()', 'uses Math.random'],
  ['setTimeout(done, 5)', 'calls setTimeout()'],
  ['globalThis.setTimeout(done, 5)', 'calls setTimeout()'],
  ['setInterval(done, 5)', 'calls setInterval()'],
  ['setImmediate(done)', 'calls setImmediate()'],
  ['AbortSignal.timeout(5)', 'uses AbortSignal.timeout'],
  ['crypto.randomUUID()', 'uses crypto.randomUUID'],
  [`import { randomBytes } from 'node:crypto'`, 'imports randomBytes from node:crypto'],
  [`import fs from 'node:fs'`, 'imports node:fs'],
  [`import { readFile } from 'fs/promises'`, 'imports fs/promises'],
  [`const { open } = await import('node:fs/promises')`, 'imports node:fs/promises'],
  [`import { setTimeout as sleep } from 'node:timers/promises'`, 'imports node:timers/promises'],
  [`import { v7 } from 'uuid'`, 'imports uuid'],
  [`import { DatabaseSync } from 'node:sqlite'`, 'imports node:sqlite'],
  [`const { DatabaseSync } = await import('node:sqlite')`, 'imports node:sqlite'],
])('refuses %s', (text, what) => {
  expect(check('src/ledger/a.ts', text)).toEqual([what])
})

it.each([
  'clock.now()',
  'new Date(clock.now())',
  'timers.setTimeout(done, 5)',
  '// Date.now() is not asked here',
  `const advice = 'call setTimeout() yourself'`,
  `import { createHash } from 'node:crypto'`,
  `import type { Stats } from 'node:fs'`,
  `import type { DatabaseSync } from 'node:sqlite'`,
])('lets pass %s', (text) => {
  expect(check('src/ledger/a.ts', text)).toEqual([])
})

it.each(['src/world/clock.ts', 'src/testing/clock.ts', 'src/ledger/a.test.ts', 'scripts/test.ts'])(
  'leaves %s alone',
  (path) => {
    expect(check(path, 'Date.now()')).toEqual([])
  },
)

it('lets the SQLite engine use SQLite, and nothing else of the world', () => {
  const imports = `import { DatabaseSync } from 'node:sqlite'\nimport fs from 'node:fs'`
  expect(check('src/store/sqlite/database.ts', imports)).toEqual(['imports node:fs'])
  expect(check('src/world/file-lock.ts', imports)).toEqual([])
})
