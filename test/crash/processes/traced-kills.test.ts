import { expect, it } from 'vitest'
import { SeededRandom } from '../../../src/testing/seeded-random.ts'
import { whyNoProgram } from '../../e2e/debian-package.ts'
import { scratch } from '../../e2e/scratch.ts'
import { playSeeds } from '../random/seeds.ts'
import { Acknowledged, mustOpen } from './acknowledged.ts'
import { Child } from './child-process.ts'
import { killAtCall } from './strace.ts'

/**
 * System calls that change a disk; up to which of them a process is killed; and how many lines it may say before it is
 * taken for granted that it will not come so far. Opening makes few of them, and a snapshot takes its time.
 */
const CALLS = [
  ['pwrite64', 60, 1000],
  ['fdatasync', 6, 1500],
  ['fsync', 6, 1500],
  ['rename', 2, 3000],
  ['unlink', 1, 3000],
  ['ftruncate', 5, 1500],
  ['openat', 60, 1000],
] as const

/** `npm run test:crash:long` has many more. */
const LEDGERS = 2

async function killAtEachCall(seed: number): Promise<number> {
  using place = scratch('traced')
  const random = new SeededRandom(seed)
  const acknowledged = new Acknowledged()
  const folder = `${place.folder}/ledger`
  let killed = 0
  for (const [calls, most, mostLines] of CALLS) {
    // One thread does all the work of the disk, and strace counts for each thread by itself.
    const child = new Child('writing-child.ts', [folder, 'when told'], { UV_THREADPOOL_SIZE: '1' })
    await child.saidLine('loaded')
    await killAtCall(child, calls, 1 + Math.floor(random.next() * most))
    child.tell('!')
    await child.said(mostLines)
    if (child.hasEnded) killed++
    await child.kill()
    expect(child.errors).toBe('')
    acknowledged.hear(child.lines)
    if (acknowledged.count > 0) acknowledged.mustBeIn(folder)
  }
  await mustOpen(folder, acknowledged.mustBeIn(folder))
  return killed
}

it(`keeps what it acknowledged when it is killed at a system call, ${LEDGERS * CALLS.length} times`, async (context) => {
  const reason = await whyNoProgram('strace')
  if (reason !== null) context.skip(`no strace: ${reason}`)
  const killed = await playSeeds(LEDGERS, 2, killAtEachCall)
  // Not all of them come so far, on every machine.
  expect(killed.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(killed.length)
})
