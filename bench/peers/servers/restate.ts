import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { freePort } from '../../../test/fixtures/free-port.ts'
import type { RestatePorts } from '../system.ts'

export interface Restate {
  readonly ports: RestatePorts
  stop(): Promise<void>
}

const PLATFORM = `@restatedev/restate-server-${process.platform}-${process.arch}`
const START_TIMEOUT_MS = 60_000
const LOOK_AGAIN_MS = 100

/** Of the server that npm installed for this platform; null when there is none. */
export function restateVersion(): string | null {
  try {
    return createRequire(import.meta.url)(`${PLATFORM}/package.json`).version
  } catch {
    return null
  }
}

/** As it comes, with its replicated log on this one node; only that it listens on this machine alone, and tells nobody. */
export async function startRestate(folder: string): Promise<Restate> {
  mkdirSync(folder, { recursive: true })
  const ports = { ingress: await freePort(), admin: await freePort() }
  const binary = createRequire(import.meta.url).resolve(`${PLATFORM}/bin/restate-server`)
  const server = spawn(binary, ['--no-logo', '--base-dir', folder], {
    env: {
      ...process.env,
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_PORT: String(await freePort()),
      RESTATE_INGRESS__BIND_PORT: String(ports.ingress),
      RESTATE_ADMIN__BIND_PORT: String(ports.admin),
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LOG_FILTER: 'error,octocrab=off',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const killed = () => server.kill('SIGKILL')
  process.once('exit', killed)
  await answers(`http://127.0.0.1:${ports.ingress}/restate/health`)
  await answers(`http://127.0.0.1:${ports.admin}/health`)
  return {
    ports,
    stop: async () => {
      process.off('exit', killed)
      const gone = once(server, 'exit')
      server.kill('SIGKILL')
      await gone
    },
  }
}

async function answers(url: string): Promise<void> {
  const end = performance.now() + START_TIMEOUT_MS
  while (performance.now() < end) {
    const answer = await fetch(url).catch(() => null)
    if (answer?.ok === true) return
    await new Promise((tick) => setTimeout(tick, LOOK_AGAIN_MS))
  }
  throw new Error(`the Restate server does not answer at ${url}`)
}
