import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OutputChunk } from '../../src/orchestrator/process/output-capture.ts'
import { OUTSIDE, ToolScene } from './tool-scene.ts'

let scene: ToolScene

beforeEach(() => {
  scene = new ToolScene()
})

afterEach(() => scene.remove())

describe('how it ended', () => {
  it('A61: exit 0 is completed, any other failed', async () => {
    expect(await scene.run('true', [])).toMatchObject({ status: 'completed', exitCode: 0, signal: null })
    for (const exitCode of [1, 2, 126, 127, 255]) {
      const done = await scene.run('sh', ['-c', `exit ${exitCode}`])
      expect(done).toMatchObject({ status: 'failed', exitCode, signal: null })
    }
  })

  it.each(['SIGTERM', 'SIGKILL', 'SIGSEGV', 'SIGINT', 'SIGPIPE', 'SIGHUP'])(
    'says which signal: %s',
    async (signal) => {
      const done = await scene.run('sh', ['-c', `kill -${signal.slice(3)} $$`])
      expect(done).toMatchObject({ status: 'failed', exitCode: null, signal })
    },
  )

  it('has no terminal, and nothing to read unless it is given a file', async () => {
    const script = `const fs = require('fs'); console.log(fs.readFileSync(0, 'utf8').length, process.stdin.isTTY === true)
      try { fs.openSync('/dev/tty', 'r+'); console.log('tty') } catch { console.log('no tty') }`
    expect(await scene.node(script)).toMatchObject({ status: 'completed', tail: '0 false\nno tty\n' })
    writeFileSync(join(scene.repo, 'in.txt'), 'given')
    const given = await scene.run('cat', [], { stdinFile: join(scene.repo, 'in.txt') })
    expect(given.tail).toBe('given')
  })

  it('gives arguments as they are, to no shell', async () => {
    const args = ['$(touch x)', '`id`', '; exit 9', 'a b', '', '*', '--', "'", '"', 'é\n\t', '-n']
    const script = 'console.log(JSON.stringify(process.argv.slice(1)))'
    const done = await scene.run(process.execPath, ['-e', script, '--', ...args])
    expect(JSON.parse(done.tail)).toEqual(args)
  })
})

describe('what it prints', () => {
  it('is in the log, after a line that says what was run, without secrets', async () => {
    await scene.run('echo', ['one', '--api-key', 'hunter2', 'token=abcdef'])
    await scene.run('printf', ['no end of line'], { attempt: 2 })
    const lines = scene.log().split('\n')
    expect(lines[0]).toMatch(
      /^--- \d{4}-.*Z attempt 1: \["echo","one","--api-key","\[redacted\]","token=\[redacted\]"\]$/,
    )
    expect(lines[1]).toBe('one --api-key hunter2 token=abcdef')
    expect(lines[2]).toMatch(/^--- \S+Z completed: exit code 0, after [\d.]+ s$/)
    expect(lines[3]).toMatch(/attempt 2: \["printf","no end of line"\]$/)
    expect(lines[4]).toBe('no end of line')
    expect(lines[5]).toMatch(/^--- \S+Z completed/)
  })

  it('may go to its streams by their names, which are pipes as anywhere else', async () => {
    const done = await scene.run('sh', [
      '-c',
      'echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/stderr',
    ])
    expect(done).toMatchObject({ status: 'completed', exitCode: 0 })
    expect(done.tail.split('\n').sort()).toEqual(['', 'a', 'b', 'c', 'c'])
  })

  it('is told as it comes, by its stream, and a listener that fails is not the end of it', async () => {
    const heard: OutputChunk[] = []
    const script = "process.stdout.write('out\\n', () => process.stderr.write('err\\n'))"
    await scene.node(script, { onOutput: (chunk) => void heard.push(chunk) })
    expect(heard).toEqual([
      { stream: 'stdout', text: 'out\n' },
      { stream: 'stderr', text: 'err\n' },
    ])
    const onOutput = () => {
      throw new Error('deaf')
    }
    expect(await scene.run('echo', ['x'], { onOutput })).toMatchObject({ status: 'completed', tail: 'x\n' })
  })

  it('may be anything: bytes as they are in the log, marks for them in texts', async () => {
    const script = 'process.stdout.write(Buffer.from([0, 1, 0xff, 0xfe, 0x41, 0xc3, 0x28, 0xe2, 0x82]))'
    let heard = ''
    const onOutput = ({ text }: OutputChunk) => {
      heard += text
    }
    const done = await scene.node(script, { onOutput })
    expect(done.tail).toBe('\0\u0001\ufffd\ufffdA\ufffd(\ufffd')
    expect(done.head).toBe(done.tail)
    expect(heard).toBe(done.tail)
    const log = readFileSync(join(scene.repo, 'l.log'))
    expect(log.includes(Buffer.from([0, 1, 0xff, 0xfe, 0x41, 0xc3, 0x28, 0xe2, 0x82]))).toBe(true)
  })

  it('is not torn where pieces meet in the middle of a character', async () => {
    const script = `const bytes = Buffer.from('aéb€c😀d'); let at = 0
      const next = () => at < bytes.length && process.stdout.write(bytes.subarray(at, ++at), () => setImmediate(next)); next()`
    let heard = ''
    const onOutput = ({ text }: OutputChunk) => {
      heard += text
    }
    const done = await scene.node(script, { onOutput })
    expect(heard).toBe('aéb€c😀d')
    expect(done.tail).toBe('aéb€c😀d')
  })

  it('A64: a flood is bounded in the log and in memory, and never holds up the program', async () => {
    const MEGABYTES = 300
    const script = `const block = Buffer.alloc(1 << 20, 'x'); block[block.length - 1] = 10; let n = 0
      const next = () => n++ < ${MEGABYTES} ? process.stdout.write(block, next) : process.stderr.write('THE END\\n')
      process.stdout.write('THE BEGINNING\\n', next)`
    const before = process.memoryUsage.rss()
    let highest = 0
    const onOutput = () => {
      highest = Math.max(highest, process.memoryUsage.rss())
    }
    const done = await scene.node(script, { onOutput, timeoutMs: 50_000 })
    expect(done).toMatchObject({ status: 'completed', logError: null, survivors: [] })
    expect(done.logBytes).toBe(10 * 1024 * 1024)
    expect(done.logBytes + done.droppedBytes).toBe(MEGABYTES * 2 ** 20 + 'THE BEGINNING\nTHE END\n'.length)
    expect(statSync(join(scene.repo, 'l.log')).size).toBeLessThan(10 * 1024 * 1024 + 1000)
    expect(highest - before).toBeLessThan(150 * 2 ** 20)
    expect(done.head.startsWith('THE BEGINNING\nxxx')).toBe(true)
    expect(done.tail.endsWith('xxx\nTHE END\n')).toBe(true)
    expect(done.head.length).toBe(64 * 1024)
    expect(done.tail.length).toBe(64 * 1024)
    const log = scene.log()
    expect(log).toContain(`\n--- ${done.droppedBytes} bytes left out\n`)
    expect(log).toMatch(/\nTHE END\n--- \S+ completed: exit code 0, after \S+ s\n$/)
  })

  it('of many tiny pieces takes no more memory than of large ones', async () => {
    const script = `const fs = require('fs'); for (let n = 0; n < 200000; n++) fs.writeSync(1, 'ab\\n')`
    const done = await scene.node(script, { mostLogBytes: 100_000 })
    expect(done).toMatchObject({ status: 'completed', logBytes: 100_000, droppedBytes: 500_000 })
  })
})

describe('its environment', () => {
  it('has nothing of ours but what is named', async () => {
    const own = { ...process.env, MY_SECRET: 'hunter2', OPENAI_API_KEY: 'k', LC_ALL: 'C', NODE_OPTIONS: '' }
    const env = scene.env({
      own: { ...own, PATH: `.:${process.env.PATH}:relative::/usr/bin` },
      passEnv: ['OPENAI_API_KEY', 'NOT_SET'],
      job: { A: 'job', B: 'job' },
      prepared: { B: 'adapter' },
    })
    const done = await scene.node('console.log(JSON.stringify(process.env))', { env })
    const seen = JSON.parse(done.tail) as Record<string, string>
    expect(seen).toMatchObject({ A: 'job', B: 'adapter', OPENAI_API_KEY: 'k', LC_ALL: 'C', TERM: 'dumb' })
    expect(seen).toMatchObject({
      WAYBILL_JOB_ID: 'job-1',
      WAYBILL_ATTEMPT: '1',
      WAYBILL_LEDGER_MARK: scene.folder,
    })
    expect(seen.PATH?.split(':').every((folder) => folder.startsWith('/'))).toBe(true)
    const known = 'A,B,HOME,LANG,LANGUAGE,TZ,TMPDIR,USER,LOGNAME,SHELL,PATH,TERM,OPENAI_API_KEY,LC_ALL'.split(
      ',',
    )
    const ours = ['WAYBILL_JOB_ID', 'WAYBILL_ATTEMPT', 'WAYBILL_LEDGER_MARK', 'WAYBILL_ATTEMPT_MARK']
    const others = Object.keys(seen).filter(
      (name) => ![...known, ...ours].includes(name) && !/^LC_/.test(name),
    )
    expect(others).toEqual([])
    expect(done.tail).not.toContain('hunter2')
  })
})

describe('what cannot be run', () => {
  const notFound = { code: 'TOOL_NOT_FOUND', field: 'command.exe', exitCode: 3 }

  it('is named, and leaves no log', async () => {
    mkdirSync(join(scene.repo, 'folder'))
    writeFileSync(join(scene.repo, 'plain'), 'echo ran')
    writeFileSync(join(scene.repo, 'here'), '#!/bin/sh\necho ran\n', { mode: 0o755 })
    symlinkSync('nowhere', join(scene.repo, 'dead'))
    const exes = [
      'no-such-tool',
      '/no/such/tool',
      './folder',
      scene.repo,
      './plain',
      'here',
      './dead',
      '',
      '.',
      '..',
    ]
    for (const exe of [...exes, 'a\0b', '-x', '--', ' true']) {
      await expect(scene.run(exe, []), exe).rejects.toMatchObject(notFound)
    }
    expect(scene.names()).not.toContain('repo/l.log')
    expect(await scene.run('./here', [])).toMatchObject({ tail: 'ran\n' })
  })

  it('is not looked for where a PATH without a folder would have it', async () => {
    writeFileSync(join(scene.repo, 'here'), '#!/bin/sh\necho ran\n', { mode: 0o755 })
    for (const PATH of ['', ':', '.', './', ':/nowhere', 'repo']) {
      await expect(scene.run('here', [], { env: { PATH } })).rejects.toMatchObject(notFound)
    }
  })

  it('says what the system said: a folder that is gone, arguments that are too many', async () => {
    const cwd = join(scene.repo, 'gone')
    mkdirSync(cwd)
    rmSync(cwd, { recursive: true })
    const failure = { code: 'TOOL_NOT_STARTED', exitCode: 1 }
    await expect(scene.run('true', [], { cwd })).rejects.toMatchObject({
      ...failure,
      message: expect.stringContaining(cwd),
    })
    const args = new Array<string>(100).fill('x'.repeat(100_000))
    await expect(scene.run('true', args)).rejects.toMatchObject({
      ...failure,
      message: expect.stringContaining('larger than the system takes'),
    })
    const stdinFile = join(scene.repo, 'not-there')
    await expect(scene.run('cat', [], { stdinFile })).rejects.toMatchObject(failure)
    expect(scene.log()).toContain('could not be started')
  })

  it('has a log that somebody has made a link meanwhile: nothing is run, nothing is followed', async () => {
    const target = join(scene.elsewhere, 'target')
    writeFileSync(target, 'mine')
    symlinkSync(target, join(scene.repo, 'l.log'))
    symlinkSync(scene.elsewhere, join(scene.repo, 'logs'))
    for (const path of ['l.log', 'logs/new.log', 'logs/deep/new.log', '../elsewhere/new.log']) {
      const logFile = { folder: scene.repo, path }
      await expect(scene.run('touch', [scene.canary], { logFile }), path).rejects.toMatchObject({
        code: 'PATH_ESCAPES',
        field: 'paths.log_file',
      })
    }
    expect(readFileSync(target, 'utf8')).toBe('mine')
    expect(scene.names().filter((name) => name.startsWith('elsewhere/'))).toEqual(['elsewhere/target'])
    expect(scene.wasRun).toBe(false)
  })

  it('goes on when its log cannot be written: the disk is full', async () => {
    const full = {
      size: 0,
      append: () => Promise.reject(new Error('ENOSPC')),
      close: () => Promise.resolve(),
    }
    const appendBeneath = () => Promise.resolve(full)
    const done = await scene.runIn({ files: { ...OUTSIDE.files, appendBeneath } }, 'echo', ['x'])
    expect(done).toMatchObject({
      status: 'completed',
      tail: 'x\n',
      logError: 'ENOSPC',
      logBytes: 0,
      droppedBytes: 2,
    })
  })

  it('that may not be executed is not, whoever asks', async () => {
    const path = join(scene.repo, 'tool')
    writeFileSync(path, '#!/bin/sh\necho ran\n', { mode: 0o755 })
    expect(await scene.run(path, [])).toMatchObject({ tail: 'ran\n' })
    chmodSync(path, 0o644)
    await expect(scene.run(path, [])).rejects.toMatchObject(notFound)
    await expect(scene.run(path, [])).rejects.toThrow('may not be executed')
  })
})
