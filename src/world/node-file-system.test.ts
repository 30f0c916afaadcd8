import { execFileSync } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NotPlain } from './file-system.ts'
import { nodeFileSystem as files } from './node-file-system.ts'

let root: string
let folder: string
let elsewhere: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'waybill-files-')))
  folder = join(root, 'folder')
  elsewhere = join(root, 'elsewhere')
  mkdirSync(folder)
  mkdirSync(elsewhere)
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

async function append(path: string, text: string): Promise<void> {
  const file = await files.appendBeneath({ folder, path })
  await file.append(Buffer.from(text))
  await file.close()
}

describe('files beneath a folder', () => {
  it('are appended to, and made with the folders on the way', async () => {
    await append('a/b/c.log', 'one ')
    await append('a/b/c.log', 'two')
    expect(readFileSync(join(folder, 'a/b/c.log'), 'utf8')).toBe('one two')
  })

  it('are written whole, in the place of what was there', async () => {
    await files.writeBeneath({ folder, path: 'a/x.json' }, Buffer.from('long text'))
    await files.writeBeneath({ folder, path: 'a/x.json' }, Buffer.from('short'))
    expect(readFileSync(join(folder, 'a/x.json'), 'utf8')).toBe('short')
    expect(readdirSync(join(folder, 'a'))).toEqual(['x.json'])
  })

  it('are read in pieces, and nothing is made of what is not there', async () => {
    await append('a/x.log', 'one two')
    const file = await files.readBeneath({ folder, path: 'a/x.log' })
    expect(file?.size).toBe(7)
    expect(String(await file?.read(4, 100))).toBe('two')
    expect(String(await file?.read(100, 1))).toBe('')
    await file?.close()
    expect(await files.readBeneath({ folder, path: 'a/none.log' })).toBeNull()
    expect(await files.readBeneath({ folder, path: 'none/x.log' })).toBeNull()
    expect(readdirSync(folder)).toEqual(['a'])
  })

  it('are not read by way of links, and nothing else is that is not a plain file', async () => {
    writeFileSync(join(elsewhere, 'target'), 'mine')
    symlinkSync(elsewhere, join(folder, 'out'))
    symlinkSync(join(elsewhere, 'target'), join(folder, 'link'))
    linkSync(join(elsewhere, 'target'), join(folder, 'hard'))
    mkdirSync(join(folder, 'sub'))
    execFileSync('mkfifo', [join(folder, 'fifo')])
    for (const path of [
      'out/target',
      'link',
      'hard',
      'sub',
      'fifo',
      '../elsewhere/target',
      'sub/../hard',
      '',
    ]) {
      await expect(files.readBeneath({ folder, path }), path).rejects.toThrow(NotPlain)
    }
  })

  it('are not reached by way of links', async () => {
    writeFileSync(join(elsewhere, 'target'), 'mine')
    symlinkSync(elsewhere, join(folder, 'out'))
    symlinkSync(join(elsewhere, 'target'), join(folder, 'x.log'))
    symlinkSync(join(elsewhere, 'new'), join(folder, 'dead.log'))
    linkSync(join(elsewhere, 'target'), join(folder, 'hard.log'))
    mkdirSync(join(folder, 'sub'))
    for (const path of ['out/new', 'out/sub/new', 'x.log', 'dead.log', 'hard.log', 'sub', 'hard.log/x']) {
      await expect(files.appendBeneath({ folder, path }), path).rejects.toThrow(NotPlain)
    }
    for (const path of ['', '.', '..', '../elsewhere/new', 'a/../x', '/etc/x', 'a//b', 'a/']) {
      await expect(files.appendBeneath({ folder, path }), path).rejects.toThrow(NotPlain)
      await expect(files.writeBeneath({ folder, path }, Buffer.from('x')), path).rejects.toThrow(NotPlain)
    }
    await expect(files.writeBeneath({ folder, path: 'out/new' }, Buffer.from('x'))).rejects.toThrow(NotPlain)
    await expect(files.writeBeneath({ folder, path: 'sub' }, Buffer.from('x'))).rejects.toThrow(NotPlain)
    // A link of that name is replaced.
    await files.writeBeneath({ folder, path: 'x.log' }, Buffer.from('report'))
    await files.writeBeneath({ folder, path: 'hard.log' }, Buffer.from('report'))
    expect(readFileSync(join(folder, 'x.log'), 'utf8')).toBe('report')
    expect(readdirSync(elsewhere)).toEqual(['target'])
    expect(readFileSync(join(elsewhere, 'target'), 'utf8')).toBe('mine')
  })

  it('are where they should be, however quickly somebody else puts links in the way', async () => {
    const [logs, aside] = [join(folder, 'logs'), join(folder, 'aside')]
    mkdirSync(logs)
    let isOver = false
    let swaps = 0
    const swapping = (async () => {
      while (!isOver) {
        // Any of it may fail: whoever writes makes the folder anew when it is gone for a moment.
        await rename(logs, aside).catch(() => {})
        await symlink(elsewhere, logs).catch(() => {})
        await rm(logs, { recursive: true }).catch(() => {})
        await rename(aside, logs).catch(() => rm(aside, { recursive: true, force: true }).catch(() => {}))
        swaps++
      }
    })()
    let written = 0
    for (let n = 0; n < 400; n++) {
      const tries = [
        append(`logs/${n}.log`, 'x'),
        files.writeBeneath({ folder, path: `logs/${n}.json` }, Buffer.from('x')),
      ]
      for (const { status } of await Promise.allSettled(tries)) if (status === 'fulfilled') written++
    }
    isOver = true
    await swapping
    expect(readdirSync(elsewhere)).toEqual([])
    expect(written).toBeGreaterThan(0)
    expect(swaps).toBeGreaterThan(100)
  })
})

describe('names', () => {
  it('are what they stand for', async () => {
    symlinkSync('nowhere', join(folder, 'dead'))
    symlinkSync('.', join(folder, 'link'))
    writeFileSync(join(folder, 'file'), '')
    const kinds = ['dead', 'link', 'file', '.', 'none'].map((name) => files.kindOf(join(folder, name)))
    expect(await Promise.all(kinds)).toEqual(['link', 'link', 'file', 'folder', null])
    expect(await files.kindOf('/dev/null')).toBe('other')
    expect(await files.realPath(join(folder, 'link/file'))).toBe(join(folder, 'file'))
    expect(await files.realPath(join(folder, 'dead'))).toBeNull()
  })

  it('of programs are those of files that may be executed', async () => {
    writeFileSync(join(folder, 'plain'), '')
    writeFileSync(join(folder, 'tool'), '', { mode: 0o755 })
    renameSync(join(folder, 'tool'), join(folder, 'moved'))
    const names = ['plain', 'moved', '.', 'none'].map((name) => files.isExecutable(join(folder, name)))
    expect(await Promise.all(names)).toEqual([false, true, false, false])
  })
})
