// Azurite, which answers as Azure tables do, for the tests of this process: started when the first of them asks, gone when the
// process is. Where WAYBILL_TEST_AZURE_TABLES names an account that is there already, as in `npm test`, it is that.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { TableServiceClient } from '@azure/data-tables'
import { freePort } from '../fixtures/free-port.ts'

export interface TestTables {
  /** The connection string of the account. */
  readonly account: string
  /** The address of it, with what names of tables are to begin with. */
  address(prefix: string): string
  stop(): Promise<void>
}

const require = createRequire(import.meta.url)
const MAIN = require.resolve('azurite/dist/src/table/main.js')

const NAME = 'devstoreaccount1'
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='

/** Somebody else may take a port between its being found and its being used. */
const MOST_STARTS = 5

let shared: Promise<TestTables> | undefined

/** The one account that this process has. */
export function testTables(): Promise<TestTables> {
  const given = process.env.WAYBILL_TEST_AZURE_TABLES
  shared ??= given === undefined ? startAzurite() : Promise.resolve(tablesOf(given, async () => {}))
  return shared
}

export async function startAzurite(): Promise<TestTables> {
  for (let starts = 1; ; starts++) {
    const port = await freePort()
    const child = spawn(process.execPath, [MAIN, ...flags(port)], {
      cwd: tmpdir(),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    if (await isStarted(child)) return running(child, port)
    if (starts === MOST_STARTS) throw new Error('Azurite does not start')
  }
}

function flags(port: number): readonly string[] {
  const network = ['--tableHost', '127.0.0.1', '--tablePort', String(port)]
  return ['--inMemoryPersistence', '--disableTelemetry', '--skipApiVersionCheck', '--silent', ...network]
}

async function isStarted(child: ChildProcess): Promise<boolean> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (line.includes('successfully started')) return true
  }
  return false
}

function running(child: ChildProcess, port: number): TestTables {
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const endpoint = `http://127.0.0.1:${port}/${NAME}`
  const account = `DefaultEndpointsProtocol=http;AccountName=${NAME};AccountKey=${KEY};TableEndpoint=${endpoint}`
  return tablesOf(account, async () => {
    process.off('exit', kill)
    const gone = once(child, 'exit')
    kill()
    await gone
  })
}

export function tablesOf(account: string, stop: () => Promise<void>): TestTables {
  return { account, address: (prefix) => `azure-tables:${account};TablePrefix=${prefix}`, stop }
}

let prefixes = 0

/** What no other test's tables begin with: ledgers with different ones know nothing of each other. */
export function freshPrefix(): string {
  const numbers = [process.pid, Math.floor(performance.timeOrigin), prefixes++]
  return `t${numbers.map((number) => number.toString(36)).join('x')}`
}

/** For an account that stays. */
export async function dropTables(...dropped: readonly string[]): Promise<void> {
  const { account } = await testTables()
  const client = TableServiceClient.fromConnectionString(account, { allowInsecureConnection: true })
  for await (const { name = '' } of client.listTables())
    if (dropped.some((prefix) => name.startsWith(prefix))) await client.deleteTable(name)
}
