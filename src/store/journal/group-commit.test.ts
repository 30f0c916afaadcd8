import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nodeDisk } from '../../world/node-disk.ts'
import { DeltaWriter } from './delta/delta-writer.ts'
import { GroupCommit } from './group-commit.ts'

const COMMIT = { settle: () => {}, takeBack: () => {} }

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-group-commit-'))
})

afterEach(() => rm(folder, { recursive: true }))

/** How many lines were written at a time for callers who come back as soon as they are answered. */
async function groupsOf({ callers, calls }: { callers: number; calls: number }): Promise<number[]> {
  const groups: number[] = []
  const writer = await DeltaWriter.create(nodeDisk, folder, 1, 0)
  const group = new GroupCommit(writer, 1, {
    folder,
    durable: ({ commits }) => void groups.push(commits.length),
    failed: () => {},
  })
  const caller = async () => {
    for (let call = 0; call < calls; call++) {
      group.buffer.add('{}')
      await group.add(1, COMMIT)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  await writer.close()
  return groups
}

describe('a group commit', () => {
  it('begins to write while there is more to decide', async () => {
    expect((await groupsOf({ callers: 100, calls: 10 })).slice(0, 10)).toEqual(Array(10).fill(64))
  })

  it('has no room while somebody holds it, and room again afterwards', async () => {
    const writer = await DeltaWriter.create(nodeDisk, folder, 1, 0)
    const group = new GroupCommit(writer, 1, { folder, durable: () => {}, failed: () => {} })
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    expect(group.room()).toBeNull()
    group.hold(first.promise)
    group.hold(second.promise)
    first.resolve()
    await first.promise
    const room = group.room()
    expect(room).not.toBeNull()
    second.resolve()
    await room
    expect(group.room()).toBeNull()
    await writer.close()
  })

  it('writes few at once', async () => {
    expect(await groupsOf({ callers: 10, calls: 3 })).toEqual([10, 10, 10])
  })

  // A batch of 64 used to take turns with one of all the others: nothing was left to decide while that was written.
  it('writes one half of many while the other half is decided', async () => {
    const groups = await groupsOf({ callers: 1000, calls: 20 })
    for (const size of groups.slice(2, 30)) expect(Math.abs(size - 500)).toBeLessThanOrEqual(1)
  })
})
