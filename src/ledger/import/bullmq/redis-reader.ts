// A Redis of somebody else. Everything that is asked of it is here, and none of it writes.
import type { Redis } from 'ioredis'
import { ImportUnreachable } from '../../../errors/import-errors.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import { shownUrl } from '../../../errors/shown-url.ts'
import { newRedis } from './load-redis.ts'

export type Hash = { readonly [field: string]: string }

/** One of several questions that are answered as of the same moment. */
export type Question =
  | readonly ['lrange', string, number, number]
  | readonly ['zrange', string, number, number, 'WITHSCORES']

const CONNECT_TIMEOUT_MS = 10_000
const SCAN_COUNT = 1000

export class RedisReader implements AsyncDisposable {
  readonly where: string
  readonly #redis: Redis

  private constructor(redis: Redis, where: string) {
    this.#redis = redis
    this.where = where
  }

  static async open(url: string): Promise<RedisReader> {
    const where = shownUrl(url)
    if (!/^rediss?:\/\//i.test(url)) {
      const next = 'Give the URL of its Redis: redis://user:password@host:6379/0, or rediss:// for TLS.'
      throw new InvalidInput('url', `${where} is not a URL of Redis`, next)
    }
    const redis = await newRedis(url, {
      lazyConnect: true,
      // As all versions of the client and of the server speak it.
      protocol: 2,
      connectTimeout: CONNECT_TIMEOUT_MS,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
      connectionName: 'waybill-import',
    })
    // A connection that cannot be made says why only here.
    let why: unknown
    redis.on('error', (error: unknown) => {
      why = error
    })
    const failure = await redis.connect().then(
      () => null,
      (error: unknown) => why ?? error,
    )
    if (failure === null) return new RedisReader(redis, where)
    redis.disconnect()
    throw new ImportUnreachable(where, { cause: failure })
  }

  async keys(pattern: string): Promise<readonly string[]> {
    const found = new Set<string>()
    let cursor = '0'
    do {
      const [next, keys] = await this.#ask(() =>
        this.#redis.scan(cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT),
      )
      for (const key of keys) found.add(key)
      cursor = next
    } while (cursor !== '0')
    return [...found].sort()
  }

  hash(key: string): Promise<Hash> {
    return this.#ask(() => this.#redis.hgetall(key))
  }

  listLength(key: string): Promise<number> {
    return this.#ask(() => this.#redis.llen(key))
  }

  setSize(key: string): Promise<number> {
    return this.#ask(() => this.#redis.zcard(key))
  }

  members(key: string): Promise<readonly string[]> {
    return this.#ask(() => this.#redis.smembers(key))
  }

  /** All answers are from the same moment. */
  async atOneMoment(questions: readonly Question[]): Promise<readonly (readonly string[])[]> {
    const answers = await this.#ask(() =>
      this.#redis.multi(questions.map((question) => [...question] as [string, ...unknown[]])).exec(),
    )
    return (answers ?? []).map(([error, answer]) => {
      if (error !== null) throw new ImportUnreachable(this.where, { cause: error })
      return answer as string[]
    })
  }

  /** Many in one go. */
  async hashes(keys: readonly string[]): Promise<readonly Hash[]> {
    const pipeline = this.#redis.pipeline()
    for (const key of keys) pipeline.hgetall(key)
    const answers = await this.#ask(() => pipeline.exec())
    return (answers ?? []).map(([error, answer]) => {
      if (error !== null) throw new ImportUnreachable(this.where, { cause: error })
      return answer as Hash
    })
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question()
    } catch (error) {
      throw new ImportUnreachable(this.where, { cause: error })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#redis.disconnect()
  }
}
