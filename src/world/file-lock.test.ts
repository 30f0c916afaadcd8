import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { lockFile } from './file-lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'waybill-lock-'))
const children = new Set<ChildProcess>()
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Takes the lock, says whether it got it, and lives until it is told to go on or is killed. */
const HOLDER = `
  import { lockFile } from ${JSON.stringify(new URL('./file-lock.ts', import.meta.url).href)}
  const lock = await lockFile(process.env.LOCK_PATH)
  process.stdout.write(lock === null ? 'taken' : 'locked')
  process.stdin.resume()
`

/** Another process; resolves when it has, or has not got, the lock. */
async function holder(path: string): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', HOLDER], {
    env: { ...process.env, LOCK_PATH: path },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.add(child)
  const [said] = await once(child.stdout as NonNullable<typeof child.stdout>, 'data')
  return { child, said: String(said) }
}

it('is held while another process lives, and free as soon as that is killed', async () => {
  const path = join(folder, 'KILLED')
  const { child, said } = await holder(path)
  expect(said).toBe('locked')
  expect(await lockFile(path)).toBeNull()
  expect(child.exitCode).toBeNull()
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
  const lock = await lockFile(path)
  expect(lock).not.toBeNull()
  // Nothing else is left behind, and there is nothing in it.
  expect(readdirSync(folder)).toEqual(['KILLED'])
  expect(statSync(path).size).toBe(0)
  await lock?.release()
})

it('keeps another process out until it is released', async () => {
  const path = join(folder, 'RELEASED')
  const lock = await lockFile(path)
  expect((await holder(path)).said).toBe('taken')
  await lock?.release()
  expect((await holder(path)).said).toBe('locked')
})

it('does not call a file locked that cannot be one', async () => {
  const path = join(folder, 'TEXT')
  writeFileSync(path, 'somebody wrote something of their own here\n'.repeat(100))
  await expect(lockFile(path)).rejects.toThrow('not a database')
  await expect(lockFile(folder)).rejects.toThrow('unable to open')
})

it('takes a name for a name, also one that SQLite has other plans for', async () => {
  const before = process.cwd()
  process.chdir(folder)
  try {
    const lock = await lockFile('file:NAMED?mode=memory')
    expect(readdirSync(folder)).toContain('file:NAMED?mode=memory')
    await lock?.release()
  } finally {
    process.chdir(before)
  }
})
