import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DataSync, type Syncing } from './data-sync.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-sync-'))
  path = join(folder, 'file')
  writeFileSync(path, 'something')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A disk that is done when it is told to be. */
class SlowDisk implements Syncing {
  readonly begun: PromiseWithResolvers<void>[] = []
  now(): void {
    throw new Error('a slow disk is not waited for')
  }
  later(): Promise<void> {
    const sync = Promise.withResolvers<void>()
    this.begun.push(sync)
    return sync.promise
  }
}

describe('making a file durable', () => {
  it('works on a real disk, also when it is known to be quick', async () => {
    const file = new DataSync(path)
    for (let nth = 0; nth < 100; nth++) await file.sync()
    await file.settled()
    file.close()
  })

  it('lets all who ask meanwhile wait for the next time, together', async () => {
    const disk = new SlowDisk()
    const file = new DataSync(path, disk)
    const over: string[] = []
    const ask = (name: string) => file.sync().then(() => over.push(name))
    const asked = [ask('first'), ask('second'), ask('third')]
    expect(disk.begun).toHaveLength(1)
    disk.begun[0]?.resolve()
    await asked[0]
    expect(over).toEqual(['first'])
    await Promise.resolve()
    expect(disk.begun).toHaveLength(2)
    const settled = file.settled().then(() => over.push('settled'))
    disk.begun[1]?.resolve()
    await Promise.all([...asked, settled])
    expect(over).toEqual(['first', 'second', 'third', 'settled'])
    file.close()
  })

  it('is done once for what came before it, whoever asks', async () => {
    const disk = new SlowDisk()
    const file = new DataSync(path, disk)
    const first = file.wrote()
    const second = file.wrote()
    const asked = [file.until(second), file.until(first), file.settled()]
    disk.begun[0]?.resolve()
    await Promise.all(asked)
    await file.settled()
    expect(disk.begun).toHaveLength(1)
    file.close()
  })

  it('may be begun before anybody asks, and is done once', async () => {
    const disk = new SlowDisk()
    const file = new DataSync(path, disk)
    const mark = file.wrote()
    file.begin()
    file.begin()
    expect(disk.begun).toHaveLength(1)
    let isOver = false
    const asked = file.until(mark).then(() => {
      isOver = true
    })
    await Promise.resolve()
    expect(isOver).toBe(false)
    disk.begun[0]?.resolve()
    await asked
    expect(disk.begun).toHaveLength(1)
    file.close()
  })

  it('is waited for where only the way to another thread takes long, and not on a disk that does', async () => {
    for (const [ms, syncs, isWaitedFor] of [
      [0.8, 200, true],
      [5, 20, false],
    ] as const) {
      let waited = 0
      const disk: Syncing = {
        now: () => void waited++,
        later: async () => {
          for (const start = performance.now(); performance.now() - start < ms; );
        },
      }
      const file = new DataSync(path, disk)
      for (let nth = 0; nth < syncs; nth++) await file.sync()
      expect(waited > 0).toBe(isWaitedFor)
      file.close()
    }
  })

  it('has failed for good when it failed once', async () => {
    const disk = new SlowDisk()
    const file = new DataSync(path, disk)
    const failing = file.sync()
    const next = file.sync()
    disk.begun[0]?.reject(new Error('EIO'))
    await expect(failing).rejects.toThrow('EIO')
    await expect(next).rejects.toThrow('EIO')
    await expect(file.sync()).rejects.toThrow('EIO')
    await file.settled()
    expect(disk.begun).toHaveLength(1)
    file.close()
  })
})
