import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { freePort } from '../../../test/fixtures/free-port.ts'

export type Fsync = 'everysec' | 'always'

export interface Redis {
  readonly port: number
  stop(): Promise<void>
}

/** Its version; installed from Debian where it is missing and may be. Null when there is none. */
export function redisVersion(): string | null {
  const known = askVersion()
  if (known !== null || process.getuid?.() !== 0) return known
  console.error('waybill: installing redis-server with apt-get (once)…')
  spawnSync('apt-get', ['install', '--yes', '--no-install-recommends', 'redis-server'], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: 'ignore',
  })
  return askVersion()
}

function askVersion(): string | null {
  const { stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' })
  return /v=([\d.]+)/.exec(stdout ?? '')?.[1] ?? null
}

/** As BullMQ advises: an append-only file, and nothing is thrown out of memory. */
export async function startRedis(folder: string, fsync: Fsync): Promise<Redis> {
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'yes',
    appendfsync: fsync,
    'maxmemory-policy': 'noeviction',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const killed = () => server.kill('SIGKILL')
  process.once('exit', killed)
  await ready(server)
  return {
    port,
    stop: async () => {
      process.off('exit', killed)
      const gone = once(server, 'exit')
      // What it has is thrown away: it need not save anything.
      server.kill('SIGKILL')
      await gone
    },
  }
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    server.stdout?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4000)
      if (said.includes('Ready to accept connections')) resolve()
    })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`redis-server did not start:\n${said}`)))
  })
}
