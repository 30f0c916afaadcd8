import { createHook } from 'node:async_hooks'
import { constants, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { DiskFile } from './disk.ts'
import { nodeDiskWith } from './node-disk.ts'

const temporary = mkdtempSync(join(tmpdir(), 'waybill-node-disk-'))
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

it('lets nobody else read a private file', async () => {
  const path = join(temporary, 'private')
  const file = await nodeDiskWith({ writeThroughFlags: null }).open(path, { isPrivate: true })
  await file.close()
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

const LITTLE = Buffer.alloc(700, 'x')
const MUCH = Buffer.alloc(70_000, 'x')

/** More than it takes to find out how quick a disk is. */
const WARMING_UP = 50

function open(name: string, quickMs: number): Promise<DiskFile> {
  const writeThroughFlags = constants.O_RDWR | constants.O_SYNC
  return nodeDiskWith({ writeThroughFlags, quickMs }).open(join(temporary, name))
}

/** How many of the writes were left to another thread. */
async function handedOver(file: DiskFile, writes: readonly Uint8Array[]): Promise<number> {
  let count = 0
  const hook = createHook({
    init(_, type) {
      if (type === 'FSREQCALLBACK') count++
    },
  }).enable()
  try {
    for (const bytes of writes) await file.writeThrough(0, bytes)
  } finally {
    hook.disable()
  }
  return count
}

const times = (count: number, bytes: Uint8Array) => Array.from({ length: count }, () => bytes)

describe('a write that is durable when it returns', () => {
  it('is waited for when there is little of it and the disk has been quick', async () => {
    const file = await open('quick', 1e9)
    expect(await handedOver(file, times(WARMING_UP, LITTLE))).toBeLessThan(WARMING_UP)
    expect(await handedOver(file, times(10, LITTLE))).toBe(0)
    expect(await handedOver(file, times(3, MUCH))).toBe(3)
    expect((await file.read(0, MUCH.length)).every((byte) => byte === MUCH[0])).toBe(true)
    await file.close()
  })

  it('is left to another thread while the disk is not known to be quick', async () => {
    const file = await open('slow', 0)
    expect(await handedOver(file, times(WARMING_UP, LITTLE))).toBe(WARMING_UP)
    await file.close()
  })

  it('lets everything else have its turn, however many there are', async () => {
    const file = await open('fair', 1e9)
    let turns = 0
    let isOver = false
    const others = () => {
      turns++
      if (!isOver) setImmediate(others)
    }
    others()
    for (const bytes of times(WARMING_UP * 2, LITTLE)) await file.writeThrough(0, bytes)
    isOver = true
    expect(turns).toBeGreaterThanOrEqual(WARMING_UP * 2)
    await file.close()
  })

  it('lets everything else have its turn now and then where nobody else writes', async () => {
    const file = await open('lone', 1e9)
    for (const bytes of times(WARMING_UP, LITTLE)) await file.writeThrough(0, bytes)
    let now = performance.now()
    let turns = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 0.1
      return now
    })
    try {
      let isOver = false
      const others = () => {
        turns++
        if (!isOver) setImmediate(others)
      }
      setImmediate(others)
      for (const bytes of times(100, LITTLE)) await file.writeThrough(0, bytes, true)
      isOver = true
    } finally {
      clock.mockRestore()
    }
    // Two looks at the clock for each write, and so a turn for every fifth.
    expect(turns).toBeGreaterThanOrEqual(15)
    expect(turns).toBeLessThanOrEqual(30)
    await file.close()
  })

  it('fails as any other', async () => {
    const file = await open('closed', 1e9)
    for (const bytes of times(WARMING_UP, LITTLE)) await file.writeThrough(0, bytes)
    await file.close()
    await expect(file.writeThrough(0, LITTLE)).rejects.toThrow()
  })
})

// What is read at hand needs no turn of the event loop. Whoever lists a million records reads block after block, and nobody else in the
// process was answered until all of it was read.
describe('reading a little at a time', () => {
  it('is done at hand, and lets everything else have its turn now and then', async () => {
    const path = join(temporary, 'read')
    const disk = nodeDiskWith({ writeThroughFlags: null, quickMs: 1e9 })
    const file = await disk.open(path)
    await file.write(0, MUCH)
    let turns = 0
    const others = setInterval(() => turns++, 1)
    const start = performance.now()
    let reads = 0
    while (performance.now() - start < 200) {
      expect((await file.read(0, LITTLE.length)).length).toBe(LITTLE.length)
      reads++
    }
    clearInterval(others)
    expect(reads).toBeGreaterThan(turns)
    expect(turns).toBeGreaterThan(2)
    await file.close()
  })
})
