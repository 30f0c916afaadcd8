// A NATS server of its own for a test: with JetStream, on a port that is free, in a folder that goes with it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { environment } from '../e2e/environment.ts'
import { freePort } from '../fixtures/free-port.ts'

const READY = /Server is ready/

export class NatsServer implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'waybill-nats-'))
  readonly #port: number
  #process: ChildProcess | null = null

  private constructor(port: number) {
    this.#port = port
  }

  static async start(): Promise<NatsServer> {
    const server = new NatsServer(await freePort())
    await server.start()
    return server
  }

  get url(): string {
    return `nats://127.0.0.1:${this.#port}`
  }

  /** Again at the same port and with the same streams, when it was stopped. */
  async start(): Promise<void> {
    const args = [
      '--jetstream',
      '--addr',
      '127.0.0.1',
      '--port',
      String(this.#port),
      '--store_dir',
      this.#folder,
    ]
    const child = spawn('nats-server', args, { env: environment(), stdio: ['ignore', 'ignore', 'pipe'] })
    this.#process = child
    const said: string[] = []
    const lines = createInterface({ input: child.stderr })
    for await (const line of lines) {
      if (READY.test(line)) {
        child.stderr.resume()
        return
      }
      said.push(line)
    }
    throw new Error(`nats-server did not start:\n${said.join('\n')}`)
  }

  /** Without a chance to say goodbye. */
  async kill(): Promise<void> {
    const child = this.#process
    this.#process = null
    if (child === null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
