// BullMQ in Redis. Of each queue the ids are read in one go, as of one moment; what each job says is read afterwards, page by
// page. A queue is known by its `meta` key, which also says which version wrote last.
import { ImportNoSource, ImportUnknownVersion } from '../../../errors/import-errors.ts'
import { type OldRecord, type OldState, PAGE, type Source, type WantsQueue } from '../old-record.ts'
import { jobOf } from './bullmq-job.ts'
import { scheduleOf } from './bullmq-schedule.ts'
import { type Question, RedisReader } from './redis-reader.ts'

/** Major versions whose keys can be read. */
const KNOWN = ['5', '6']

export interface BullmqOptions {
  readonly prefix: string
  /** What the database is called in keys; its prefix unless told. */
  readonly as?: string | undefined
  readonly wants: WantsQueue
  /** Whether schedules are taken over too. */
  readonly withSchedules: boolean
}

/** Where jobs of a queue are, in the order in which they would be done. */
const PLACES: readonly { readonly key: string; readonly is: 'list' | 'set'; readonly state: OldState }[] = [
  { key: 'active', is: 'list', state: 'active' },
  { key: 'wait', is: 'list', state: 'waiting' },
  { key: 'paused', is: 'list', state: 'waiting' },
  { key: 'prioritized', is: 'set', state: 'waiting' },
  { key: 'delayed', is: 'set', state: 'delayed' },
  { key: 'waiting-children', is: 'set', state: 'blocked' },
  { key: 'failed', is: 'set', state: 'failed' },
  { key: 'completed', is: 'set', state: 'completed' },
]

export class BullmqSource implements Source {
  readonly system = 'bullmq'
  readonly title = 'BullMQ'
  readonly version: string
  readonly #redis: RedisReader
  readonly #queues: readonly string[]
  readonly #options: BullmqOptions
  readonly #notes: string[] = []
  /** Schedules that are taken over, by queue and id: their next jobs are not, which they submit themselves. */
  readonly #schedulesTaken = new Set<string>()

  private constructor(
    redis: RedisReader,
    queues: readonly string[],
    version: string,
    options: BullmqOptions,
  ) {
    this.#redis = redis
    this.#queues = queues
    this.version = version
    this.#options = options
  }

  static async open(url: string, options: BullmqOptions): Promise<BullmqSource> {
    const redis = await RedisReader.open(url)
    try {
      const { prefix, wants } = options
      const metas = await redis.keys(`${escaped(prefix)}:*:meta`)
      // A queue's name has no colon in it; a key of another kind may.
      const names = metas
        .map((key) => key.slice(prefix.length + 1, -':meta'.length))
        .filter((name) => !name.includes(':'))
      if (names.length === 0) {
        const next =
          'Look at the number of the database in the URL, and name the prefix that BullMQ was given: --prefix NAME.'
        throw new ImportNoSource(
          `There are no queues of BullMQ with prefix ${prefix} at ${redis.where}`,
          next,
        )
      }
      const queues = names.filter(wants)
      const versions = new Set<string>()
      for (const queue of queues) versions.add(await versionOf(redis, `${prefix}:${queue}:meta`, queue))
      return new BullmqSource(redis, queues, [...versions].join(', '), options)
    } catch (error) {
      await redis[Symbol.asyncDispose]()
      throw error
    }
  }

  get where(): string {
    return `${this.#redis.where} (${this.#options.prefix})`
  }

  async count(): Promise<number> {
    let sum = 0
    for (const queue of this.#queues) {
      for (const { key, is } of PLACES) {
        const name = this.#key(queue, key)
        sum += is === 'list' ? await this.#redis.listLength(name) : await this.#redis.setSize(name)
      }
      sum += await this.#redis.setSize(this.#key(queue, 'repeat'))
    }
    return sum
  }

  async active(): Promise<number> {
    let sum = 0
    for (const queue of this.#queues) sum += await this.#redis.listLength(this.#key(queue, 'active'))
    return sum
  }

  async *records(): AsyncGenerator<readonly OldRecord[]> {
    for (const queue of this.#queues) {
      await this.#noteQueue(queue)
      const lists = await this.#redis.atOneMoment([
        ...PLACES.map(({ key, is }) => questionOf(this.#key(queue, key), is)),
        questionOf(this.#key(queue, 'repeat'), 'set'),
      ])
      yield* this.#schedules(queue, idsIn(lists[PLACES.length] ?? []))
      for (const [index, { is, state }] of PLACES.entries()) {
        const found = lists[index] ?? []
        // What is to be done next is at the end of a list, and at the beginning of a set.
        yield* this.#jobs(
          queue,
          state,
          is === 'list' ? found.toReversed().map((id) => ({ id, score: 0 })) : idsIn(found),
        )
      }
    }
  }

  notes(): readonly string[] {
    return this.#notes
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#redis[Symbol.asyncDispose]()
  }

  async *#jobs(queue: string, state: OldState, ids: readonly Scored[]): AsyncGenerator<readonly OldRecord[]> {
    const facts = {
      source: this.#name,
      prefix: this.#options.prefix,
      queue,
      state,
      isOfSchedule: (id: string) => this.#schedulesTaken.has(`${queue}:${id}`),
    }
    for (let at = 0; at < ids.length; at += PAGE) {
      const some = ids.slice(at, at + PAGE)
      const hashes = await this.#redis.hashes(some.map(({ id }) => this.#key(queue, id)))
      const page: OldRecord[] = []
      for (const [i, { id, score }] of some.entries()) {
        const isParent = state === 'blocked'
        const key = this.#key(queue, id)
        const children = isParent ? await this.#redis.members(`${key}:dependencies`) : []
        const done = isParent ? await this.#redis.hash(`${key}:processed`) : {}
        const waitsFor = children.length === 0 ? [] : await this.#redis.hashes(children)
        page.push(jobOf(id, hashes[i] ?? {}, { ...facts, score, children, waitsFor, done }))
      }
      yield page
    }
  }

  async *#schedules(queue: string, ids: readonly Scored[]): AsyncGenerator<readonly OldRecord[]> {
    if (ids.length === 0) return
    const hashes = await this.#redis.hashes(ids.map(({ id }) => this.#key(queue, `repeat:${id}`)))
    const schedules = ids.map(({ id }, i) => scheduleOf(id, hashes[i] ?? {}, { source: this.#name, queue }))
    for (const { id, problem } of schedules) {
      if (problem === null && this.#options.withSchedules) this.#schedulesTaken.add(`${queue}:${id}`)
    }
    yield schedules
  }

  async #noteQueue(queue: string): Promise<void> {
    const { paused, concurrency, max, duration } = await this.#redis.hash(this.#key(queue, 'meta'))
    if (paused === '1') {
      this.#notes.push(`Queue ${queue} is paused in BullMQ, and not here: waybill queue pause ${queue}`)
    }
    if (concurrency !== undefined) {
      const command = `waybill queue limit ${queue} --concurrency ${concurrency}`
      this.#notes.push(`Queue ${queue} has a global concurrency of ${concurrency} in BullMQ: ${command}`)
    }
    if (max !== undefined && duration !== undefined) {
      this.#notes.push(
        `Queue ${queue} has a global rate of ${max} in ${duration} ms in BullMQ: see waybill queue limit --help`,
      )
    }
  }

  #key(queue: string, type: string): string {
    return `${this.#options.prefix}:${queue}:${type}`
  }

  get #name(): string {
    return this.#options.as ?? this.#options.prefix
  }
}

interface Scored {
  readonly id: string
  readonly score: number
}

function questionOf(key: string, is: 'list' | 'set'): Question {
  return is === 'list' ? ['lrange', key, 0, -1] : ['zrange', key, 0, -1, 'WITHSCORES']
}

/** Ids and scores come in turn. */
function idsIn(pairs: readonly string[]): readonly Scored[] {
  return pairs.flatMap((id, i) => (i % 2 === 0 ? { id, score: Number(pairs[i + 1]) } : []))
}

/** As in `bullmq:5.81.5`. */
async function versionOf(redis: RedisReader, key: string, queue: string): Promise<string> {
  const { version = 'no version' } = await redis.hash(key)
  const [, full, major] = /^bullmq:((\d+)\.\S*)$/.exec(version) ?? []
  if (full !== undefined && major !== undefined && KNOWN.includes(major)) return full
  throw new ImportUnknownVersion('BullMQ', `${version} in queue ${queue}`, `BullMQ ${KNOWN.join(' and ')}`)
}

/** The characters that mean something in a pattern. */
function escaped(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&')
}
