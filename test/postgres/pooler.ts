// A pooler before the server that gives every transaction another connection.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../fixtures/free-port.ts'

export interface Pooler {
  readonly url: string
  stop(): Promise<void>
}

/** Fewer than a ledger has of its own: they get each other's all the time. */
const CONNECTIONS = 3

export async function startPooler(server: string): Promise<Pooler> {
  const { hostname, port, username, password, pathname } = new URL(server)
  const folder = mkdtempSync(join(tmpdir(), 'waybill-pooler-'))
  chmodSync(folder, 0o777)
  const own = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
ledger = host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password='${decodeURIComponent(password)}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${CONNECTIONS}
`,
  )
  const user = process.getuid?.() === 0 ? ['--user=postgres'] : []
  const child = spawn('pgbouncer', [...user, file], { stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGQUIT')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  for await (const said of child.stderr) {
    if (String(said).includes('process up'))
      return { url: `postgres://anybody@127.0.0.1:${own}/ledger`, stop }
  }
  throw new Error('pgbouncer did not start')
}
