// A Redis of its own for a test: on a port that is free, with nothing on a disk.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import { environment } from '../e2e/environment.ts'
import { freePort } from '../fixtures/free-port.ts'

const READY = /Ready to accept connections/

export class RedisServer implements AsyncDisposable {
  readonly port: number
  readonly #process: ChildProcess

  private constructor(port: number, process: ChildProcess) {
    this.port = port
    this.#process = process
  }

  static async start(): Promise<RedisServer> {
    const port = await freePort()
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    const child = spawn('redis-server', args, { env: environment(), stdio: ['ignore', 'pipe', 'ignore'] })
    const said: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line)
      if (!READY.test(line)) continue
      child.stdout.resume()
      return new RedisServer(port, child)
    }
    throw new Error(`redis-server did not start:\n${said.join('\n')}`)
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** For clients of BullMQ. */
  get connection() {
    return { host: '127.0.0.1', port: this.port }
  }

  /** Every key with what is in it: two that are equal mean that nothing was written. */
  async contents(): Promise<{ readonly [key: string]: string }> {
    const redis = new Redis(this.url)
    try {
      const keys = (await redis.keys('*')).sort()
      const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)))
      return Object.fromEntries(keys.map((key, i) => [key, dumps[i]?.toString('base64') ?? '']))
    } finally {
      redis.disconnect()
    }
  }

  async set(key: string, field: string, value: string): Promise<void> {
    const redis = new Redis(this.url)
    await redis.hset(key, field, value)
    redis.disconnect()
  }

  async clear(): Promise<void> {
    const redis = new Redis(this.url)
    await redis.flushall()
    redis.disconnect()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exited
  }
}
