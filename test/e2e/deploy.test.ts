// The examples for those who run a server: what they name is there, and what they run does run.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { freePort } from '../fixtures/free-port.ts'
import { environment } from './environment.ts'
import { page } from './pages.ts'
import { ROOT } from './scratch.ts'

const folder = mkdtempSync(join(tmpdir(), 'waybill-deploy-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** As npm would put it on the PATH, with the Node that runs the tests. */
const bin = join(folder, 'bin')
mkdirSync(bin)
symlinkSync(process.execPath, join(bin, 'node'))
writeFileSync(join(bin, 'waybill'), `#!/bin/sh\nexec node ${join(ROOT, manifest.bin.waybill)} "$@"\n`, {
  mode: 0o755,
})
const PATH = `${bin}:/usr/bin:/bin`

const read = (name: string) => readFileSync(join(ROOT, 'examples/deploy', name), 'utf8')

/** The words of an instruction that is written as a list. */
function words(dockerfile: string, instruction: RegExp): readonly string[] {
  const [, list = '[]'] = new RegExp(`^${instruction.source} (\\[.*\\])$`, 'm').exec(dockerfile) ?? []
  return JSON.parse(list)
}

describe('the Dockerfile', () => {
  const text = read('Dockerfile')
  const entry = words(text, /ENTRYPOINT/)
  const command = words(text, /CMD/)
  const health = words(text, /\s+CMD/)

  it('serves a ledger that it makes, says that it is healthy, and stops in good order', async () => {
    const port = String(await freePort())
    const here = (argv: readonly string[]) => argv.map((word) => word.replaceAll('7420', port))
    const env = environment({ PATH, WAYBILL_LEDGER: join(folder, 'contained') })
    const options = { cwd: folder, env, encoding: 'utf8', timeout: 30_000 } as const
    const ask = () => spawnSync(join(bin, 'node'), here(health.slice(1)), options).status
    expect(health[0]).toBe('node')
    expect(ask()).toBe(1)
    for (const time of ['first', 'second']) {
      const [program = '', ...args] = here([...entry, ...command, '--port', port])
      const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
      const ended = once(child, 'close')
      await firstOutput(child)
      expect({ time, healthy: ask() }).toEqual({ time, healthy: 0 })
      child.kill(/^STOPSIGNAL (SIG\w+)$/m.exec(text)?.[1] as NodeJS.Signals)
      expect(await ended).toEqual([0, null])
    }
  })

  it('runs as somebody who is not root, on a Node that will do, with the ledger in a volume', () => {
    const ledger = /WAYBILL_LEDGER=(\S+)/.exec(text)?.[1] ?? ''
    expect(text).toMatch(/^USER node$/m)
    expect(text).toContain(`\nVOLUME ${dirname(ledger)}\n`)
    const nodes = [...text.matchAll(/^FROM node:(\d+)-slim\b/gm)].map(([, major]) => Number(major))
    expect(nodes).toHaveLength(2)
    for (const major of nodes)
      expect(major).toBeGreaterThanOrEqual(Number.parseInt(manifest.engines.node.slice(2), 10))
  })

  it('opens the port that a server listens at', () => {
    expect(text).toMatch(/^EXPOSE 7420$/m)
    const { stdout } = spawnSync(join(bin, 'waybill'), ['serve', '--help'], {
      env: environment({ PATH }),
      encoding: 'utf8',
    })
    expect(stdout).toMatch(/--port <n> [^-]*\(default: 7420\)/)
  })

  it('names drivers and files as the package does', () => {
    const [driver = ''] = /DRIVERS='([\w@/.-]+)'/.exec(text)?.slice(1) ?? []
    expect(Object.keys(manifest.peerDependencies)).toContain(driver.replace(/@\d+$/, ''))
    expect(page('docs/server.md')).toContain('examples/deploy/Dockerfile')
  })
})

describe('the unit of systemd', () => {
  const text = read('waybill.service')

  it('is one that systemd understands', (context) => {
    const unit = join(folder, 'waybill.service')
    writeFileSync(unit, text.replaceAll('/usr/bin/waybill', join(bin, 'waybill')))
    const { error, status, stderr } = spawnSync('systemd-analyze', ['verify', unit], {
      encoding: 'utf8',
      timeout: 30_000,
    })
    if (error !== undefined) return context.skip('there is no systemd-analyze on this machine')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  it('makes the ledger, serves it, and ends when it is told to', async () => {
    const port = String(await freePort())
    const commands = [...text.matchAll(/^ExecStart(?:Pre)?=\/usr\/bin\/waybill (.*)$/gm)].map(
      ([, line = '']) => line.replaceAll('/var/lib/waybill', folder).split(' '),
    )
    const [init = [], serve = []] = commands
    const env = environment({ PATH })
    const made = spawnSync(join(bin, 'waybill'), init, { env, encoding: 'utf8', timeout: 30_000 })
    expect(made).toMatchObject({ status: 0, stderr: '' })
    const child = spawn(join(bin, 'waybill'), [...serve, '--port', port], { env, timeout: 30_000 })
    const ended = once(child, 'close')
    await firstOutput(child)
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  it('gives the server longer to end than the server gives itself', () => {
    const grace = /--grace (\d+)s/.exec(text)?.[1]
    const stop = /^TimeoutStopSec=(\d+)$/m.exec(text)?.[1]
    expect(Number(stop)).toBeGreaterThan(Number(grace))
  })

  it('is what the documentation speaks of', () => {
    expect(page('docs/server.md')).toContain('examples/deploy/waybill.service')
  })
})

/** What it prints when it listens; what it says before that, when it does not. */
async function firstOutput(child: ChildProcess): Promise<void> {
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const early = once(child, 'close').then(() => Promise.reject(new Error(`It ended: ${said}`)))
  await Promise.race([once(child.stdout as NonNullable<typeof child.stdout>, 'data'), early])
  early.catch(() => {})
}
