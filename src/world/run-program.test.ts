import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { runProgram } from './run-program.ts'

const run = (code: string, more: { readonly timeoutMs?: number; readonly mostBytes?: number } = {}) =>
  runProgram({
    exe: process.execPath,
    args: ['-e', code],
    cwd: tmpdir(),
    env: { ONLY: 'this' },
    timeoutMs: 20_000,
    mostBytes: 1000,
    ...more,
  })

describe('a program that answers and ends', () => {
  it('gives what it prints and its exit code, with an empty stdin and no environment but its own', async () => {
    const code = `process.stdin.on('data', () => {}).on('end', () => {
      process.stdout.write(Object.keys(process.env).filter((name) => /^(ONLY|PATH|HOME)$/.test(name)).join())
      process.exitCode = 3
    })`
    const { exitCode, stdout } = await run(code)
    expect([exitCode, Buffer.from(stdout).toString()]).toEqual([3, 'ONLY'])
  })

  it('is ended when it takes too long or prints too much, and has no exit code then', async () => {
    expect((await run('setInterval(() => {}, 1000)', { timeoutMs: 200 })).exitCode).toBeNull()
    const flood = await run("setInterval(() => process.stdout.write('x'.repeat(900)), 1)")
    expect(flood.exitCode).toBeNull()
    expect(flood.stdout.length).toBeLessThanOrEqual(1000)
  })

  it('has no exit code when it cannot be started', async () => {
    const nowhere = { exe: 'no-such-program', args: [], env: {}, timeoutMs: 1000, mostBytes: 10 }
    expect(await runProgram({ ...nowhere, cwd: tmpdir() })).toMatchObject({ exitCode: null })
    expect(await runProgram({ ...nowhere, exe: process.execPath, cwd: '/no/such/folder' })).toMatchObject({
      exitCode: null,
    })
  })
})
