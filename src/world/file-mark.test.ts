import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { hashFile, markFile } from './file-mark.ts'

const folder = mkdtempSync(join(tmpdir(), 'waybill-mark-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string) => join(folder, name)
const mark = async (name: string) => markFile(Buffer.from(at(name)))
const hash = async (name: string) => hashFile(Buffer.from(at(name)), (await mark(name)).kind)

describe('what a file is like', () => {
  it('is said of the file, and not of what it links to', async () => {
    writeFileSync(at('file'), 'abc')
    mkdirSync(at('folder'))
    symlinkSync('file', at('link'))
    symlinkSync('nowhere', at('dangling'))
    expect(await mark('file')).toMatchObject({ kind: 'file', size: 3, isExecutable: false })
    expect((await mark('folder')).kind).toBe('folder')
    expect((await mark('link')).kind).toBe('link')
    expect((await mark('dangling')).kind).toBe('link')
    expect(await mark('nowhere')).toEqual({ kind: 'missing', stamp: '', isExecutable: false, size: 0 })
  })

  it('changes with every write, even one that puts back the times', async () => {
    writeFileSync(at('written'), 'abc')
    utimesSync(at('written'), 1, 1)
    const before = await mark('written')
    expect(await mark('written')).toEqual(before)
    writeFileSync(at('written'), 'xyz')
    utimesSync(at('written'), 1, 1)
    expect((await mark('written')).stamp).not.toBe(before.stamp)
    chmodSync(at('written'), 0o755)
    expect((await mark('written')).isExecutable).toBe(true)
  })

  it('has a hash of what is in it, if that can be read', async () => {
    writeFileSync(at('one'), 'same')
    writeFileSync(at('two'), 'same')
    symlinkSync('one', at('to-one'))
    symlinkSync('two', at('to-two'))
    mkdirSync(at('in'))
    expect(await hash('one')).toBe(await hash('two'))
    expect(await hash('to-one')).not.toBe(await hash('to-two'))
    expect(await hash('in')).toBeNull()
    expect(await hashFile(Buffer.from(at('gone')), 'file')).toBeNull()
  })
})
