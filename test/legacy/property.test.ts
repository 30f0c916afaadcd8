import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuditRecord } from '../../src/core/audit.ts'
import { migrateLegacy, validateLegacy } from '../../src/legacy-logs.ts'
import { openLedger } from '../../src/open-ledger.ts'
import { type VirtualWorld, virtualWorld } from '../../src/testing/virtual-world.ts'
import { arbitraryLog } from './arbitrary-log.ts'
import { contentsOf, readLines, readLog, writeLog } from './log-files.ts'

const LOG = 'ledger.jsonl'
const RUNS = { numRuns: 75 }

async function worldWith(bytes: Uint8Array): Promise<VirtualWorld> {
  const world = virtualWorld({ startMs: Date.UTC(2026, 0, 1) })
  await writeLog(world.disk, LOG, bytes)
  return world
}

async function imported(world: VirtualWorld, input = LOG) {
  await using ledger = await openLedger('memory:', { world })
  const report = await ledger.migrate(input)
  return { report, contents: (await contentsOf(ledger)) as { readonly history: readonly AuditRecord[] } }
}

function withoutReasons({ history, ...rest }: { readonly history: readonly AuditRecord[] }): object {
  return { ...rest, history: history.map((record) => ({ ...record, reason: null })) }
}

describe('A40: whatever is in a log', () => {
  it('nothing is lost: each line is in the history, among the rejects, or blank; and the counts agree', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog, async ({ bytes, lines }) => {
        const world = await worldWith(bytes)
        const { report, contents } = await imported(world)
        const inHistory = contents.history.map(({ reason }) => Number(/line (\d+)$/.exec(reason ?? '')?.[1]))
        const rejects = (await readLines(world.disk, `${LOG}.rejects`)) as { readonly line: number }[]
        const rejected = rejects.map(({ line }) => line)
        expect(report).toMatchObject({ lines, rejected: rejected.length, agrees: true })
        expect(report.migrated + report.already_migrated).toBe(inHistory.length)
        expect(new Set([...inHistory, ...rejected]).size).toBe(lines - report.blank)
        expect(inHistory).toEqual(inHistory.toSorted((a, b) => a - b))
        for (const { timestamp, duration_seconds } of contents.history) {
          expect(timestamp * 1000).toBeLessThanOrEqual(world.clock.now())
          if (duration_seconds !== null) expect(duration_seconds).toBeGreaterThanOrEqual(0)
        }
      }),
      RUNS,
    )
  })

  it('a dry run says what the real one does, for either target', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog, async ({ bytes }) => {
        const world = await worldWith(bytes)
        const dry = await migrateLegacy(LOG, { dryRun: true, world })
        expect(await readLog(world.disk, `${LOG}.backup`)).toBeNull()
        const written = await migrateLegacy(LOG, { output: 'new.jsonl', world })
        const { report } = await imported(world)
        const apart = { output: null, dry_run: false, backup: null, rejects: null, compacted: false }
        expect({ ...written, ...apart }).toEqual({ ...dry, ...apart })
        expect({ ...report, ...apart }).toEqual({ ...dry, ...apart })
      }),
      RUNS,
    )
  })

  it('to write it anew and import that is to import it', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog, async ({ bytes }) => {
        const world = await worldWith(bytes)
        const straight = await imported(world)
        await migrateLegacy(LOG, { output: 'new.jsonl', world })
        const anew = await imported(world, 'new.jsonl')
        expect(withoutReasons(anew.contents)).toEqual(withoutReasons(straight.contents))
        expect(anew.report).toMatchObject({ rejected: 0, migrated: 0, blank: 0 })
      }),
      RUNS,
    )
  })

  it('in its own place it is written once, and valid but for what was not right before', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog, async ({ bytes }) => {
        const world = await worldWith(bytes)
        await migrateLegacy(LOG, { output: LOG, world })
        const once = await readLog(world.disk, LOG)
        const { rejected, migrated } = await migrateLegacy(LOG, { output: LOG, world })
        expect({ rejected, migrated }).toEqual({ rejected: 0, migrated: 0 })
        expect(await readLog(world.disk, LOG)).toEqual(once)
        expect(await readLog(world.disk, `${LOG}.backup`)).toEqual(bytes)
        for await (const { what } of validateLegacy(LOG, { world })) {
          expect(what).not.toMatch(/old log|not JSON|cut off|not a whole/)
        }
      }),
      RUNS,
    )
  })

  it('a log that grows, and is taken over now and then, is taken over as one', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog, fc.array(fc.nat(), { maxLength: 3 }), async ({ bytes }, cuts) => {
        const whole = await imported(await worldWith(bytes))
        const world = await worldWith(bytes)
        await using ledger = await openLedger('memory:', { world })
        const ends = cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b)
        let taken = 0
        for (const end of [...ends, bytes.length, bytes.length]) {
          await writeLog(world.disk, LOG, bytes.subarray(0, end))
          const { migrated, already_migrated, already_imported, agrees } = await ledger.migrate(LOG)
          expect(agrees).toBe(true)
          expect(already_imported).toBe(taken)
          taken += migrated + already_migrated
        }
        expect(await contentsOf(ledger)).toEqual(whole.contents)
      }),
      RUNS,
    )
  })
})
