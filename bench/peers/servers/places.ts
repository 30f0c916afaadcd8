// Where the systems keep what they keep: a folder of the run on a real disk, and servers in it. All of it is gone when
// the run is over.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../../scripts/command.ts'
import { say } from '../../../test/postgres/server.ts'
import { benchServer, stopBenchServer } from '../../engines/bench-server.ts'
import type { ServerName, System } from '../catalogue.ts'
import type { Place } from '../system.ts'
import { isAlone } from './alone.ts'
import { type Fsync, type Redis, redisVersion, startRedis } from './redis.ts'
import { type Restate, restateVersion, startRestate } from './restate.ts'

/** A place that somebody has, and how to be rid of it. */
export interface TakenPlace {
  readonly place: Place
  free(): Promise<void>
}

const ASKS_OUTSIDE =
  'its server asks GitHub for its latest release, and only root on Linux can keep it off the network'

const EMPTY = { postgres: null, redisPort: null, restate: null, isHistory: false } as const

export class Places {
  readonly folder = runFolder()
  #restate: Promise<Restate> | null = null
  #taken = 0

  async take(system: System): Promise<TakenPlace> {
    const name = `m${++this.#taken}`
    const folder = join(this.folder, name)
    mkdirSync(folder)
    const remove = () => rmSync(folder, { recursive: true, force: true })
    switch (system.server) {
      case null:
        return { place: { ...EMPTY, folder }, free: async () => remove() }
      case 'postgres':
        return this.#database(name, folder, remove)
      case 'redis-everysec':
      case 'redis-always': {
        const redis: Redis = await startRedis(join(folder, 'redis'), system.server.slice(6) as Fsync)
        return {
          place: { ...EMPTY, folder, redisPort: redis.port },
          free: async () => {
            await redis.stop()
            remove()
          },
        }
      }
      case 'restate': {
        this.#restate ??= startRestate(join(this.folder, 'restate'))
        const { ports } = await this.#restate
        return { place: { ...EMPTY, folder, restate: ports }, free: async () => remove() }
      }
    }
  }

  async #database(name: string, folder: string, remove: () => void): Promise<TakenPlace> {
    const { url } = await benchServer()
    await say(url, `CREATE DATABASE ${name}`)
    const own = new URL(url)
    own.pathname = `/${name}`
    return {
      place: { ...EMPTY, folder, postgres: own.href },
      free: async () => {
        await say(url, `DROP DATABASE ${name} WITH (FORCE)`)
        remove()
      },
    }
  }

  async end(): Promise<void> {
    await (await this.#restate)?.stop()
    await stopBenchServer()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** In memory, syncing costs nothing: then it is not the folder for temporary files. */
function runFolder(): string {
  const isInMemory = () => spawnSync('df', ['--output=fstype', tmpdir()], { encoding: 'utf8' })
  const parent = isInMemory().stdout.includes('tmpfs') ? join(ROOT, '.reports') : tmpdir()
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'waybill-peers-'))
  // PostgreSQL runs as another user where this runs as root, and has to get in.
  chmodSync(folder, 0o755)
  // Servers that make a folder for themselves make it here.
  process.env.TMPDIR = folder
  return folder
}

/** What it is, or why it cannot be had. */
export async function serverVersion(
  server: ServerName,
): Promise<{ readonly version: string } | { readonly missing: string }> {
  switch (server) {
    case 'postgres': {
      const [row] = await say((await benchServer()).url, 'SHOW server_version')
      return { version: `PostgreSQL ${row?.server_version}` }
    }
    case 'redis-everysec':
    case 'redis-always': {
      const version = redisVersion()
      return version === null
        ? { missing: 'there is no redis-server on the PATH, and it could not be installed with apt-get' }
        : { version: `Redis ${version}` }
    }
    case 'restate': {
      if (!isAlone()) return { missing: ASKS_OUTSIDE }
      const version = restateVersion()
      return version === null
        ? { missing: 'there is no Restate server for this platform' }
        : { version: `Restate ${version}` }
    }
  }
}
