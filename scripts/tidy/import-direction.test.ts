import { describe, expect, it } from 'vitest'
import { importDirection } from './import-direction.ts'
import { sourceFile } from './source-file.ts'

const check = (path: string, text: string) =>
  importDirection.check(sourceFile(path, text)).map(({ what }) => what)

describe('imports point inward', () => {
  it.each([
    ['src/core/a.ts', `import { b } from './b.ts'`],
    ['src/world/disk.ts', `import { open } from 'node:fs/promises'\nimport { json } from '../core/json.ts'`],
    ['src/store/memory/a.ts', `import type { Clock } from '../../world/clock.ts'`],
    ['src/server/a.ts', `import { plan } from '../orchestrator/plan.ts'\nimport fastify from 'fastify'`],
    ['src/runtime/a.ts', `import { signedPost } from '../wire/signed-post.ts'`],
    ['src/service/a.ts', `import '../node-version.ts'\nimport { keysOf } from '../wire/secrets.ts'`],
    ['src/testing/a.ts', `import { worker } from '../runtime/worker.ts'\nimport '../node-version.ts'`],
    ['src/index.ts', `import './node-version.ts'\nexport { openLedger } from './ledger/open.ts'`],
    ['ui/page.tsx', `import type { Job } from '../src/core/job.ts'\nimport { useState } from 'react'`],
    ['test/e2e/a.test.ts', `import { openLedger } from 'waybill'\nimport '../../src/core/job.ts'`],
  ])('%s may: %s', (path, text) => {
    expect(check(path, text)).toEqual([])
  })

  it.each([
    ['src/core/a.ts', `import { s } from '../store/s.ts'`, 'core imports src/store/s.ts'],
    ['src/core/a.ts', `import { z } from 'zod'`, 'core imports zod'],
    ['src/core/a.ts', `import { crc32 } from 'node:zlib'`, 'core imports node:zlib'],
    ['src/core/a.ts', `import zlib from 'node:zlib'`, 'core imports node:zlib'],
    ['src/world/a.ts', `export * from '../store/s.ts'`, 'world imports src/store/s.ts'],
    ['src/store/a.ts', `const l = await import('../ledger/l.ts')`, 'store imports src/ledger/l.ts'],
    ['src/store/a.ts', `type L = import('../ledger/l.ts').L`, 'store imports src/ledger/l.ts'],
    ['src/ledger/a.ts', `import { openLedger } from 'waybill'`, 'ledger imports src/index.ts'],
    ['src/ledger/a.ts', `import { fake } from 'waybill/testing'`, 'ledger imports src/testing/index.ts'],
    ['src/wire/a.ts', `import { Jobs } from '../ledger/jobs.ts'`, 'wire imports src/ledger/jobs.ts'],
    ['src/service/a.ts', `import { Jobs } from '../ledger/jobs.ts'`, 'service imports src/ledger/jobs.ts'],
    ['src/runtime/a.ts', `import { s } from 'waybill/service'`, 'runtime imports src/service/index.ts'],
    ['src/testing/a.ts', `import { o } from '../orchestrator/o.ts'`, 'testing imports src/orchestrator/o.ts'],
    ['src/core/a.ts', `import '../node-version.ts'`, 'core imports src/node-version.ts'],
    ['src/runtime/a.ts', `import '../../scripts/tidy.ts'`, 'runtime imports scripts/tidy.ts'],
    ['ui/page.tsx', `import { jobStates } from '../src/core/job.ts'`, 'ui imports ../src/core/job.ts'],
  ])('%s may not: %s', (path, text, what) => {
    expect(check(path, text)).toEqual([what])
  })

  it('lets a test use whatever it likes', () => {
    const text = `import { it } from 'vitest'\nimport '../ledger/l.ts'\nimport '../../test/fixtures/f.ts'`
    expect(check('src/core/a.test.ts', text)).toEqual([])
  })

  it('refuses a folder that is no layer', () => {
    expect(check('src/stuff/a.ts', '')).toEqual(['src/stuff/ is in no layer'])
  })

  it('names the line', () => {
    const [finding] = importDirection.check(sourceFile('src/core/a.ts', `\n\nimport '../store/s.ts'`))
    expect(finding?.line).toBe(3)
  })
})
