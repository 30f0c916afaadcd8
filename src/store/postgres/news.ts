// Hearing that somebody else has written. Notifications come at once, on a connection that listens; now and then, and all
// the time while nobody listens, the head of the log is looked at instead. Who listens says so in the database: while only
// one process does, its own writes are told to nobody.
import type { Timer } from '../../world/timers.ts'
import type { Head } from '../tables/tables.ts'
import { Link, type Server } from './link.ts'
import type { PgClient } from './load-pg.ts'

/** How much more seldom it is looked at while somebody listens. */
const WHILE_LISTENING = 10

export interface NewsOptions {
  readonly server: Server
  /** Quoted. */
  readonly schema: string
  readonly channel: string
  /** Whose own notifications are no news. */
  readonly process: string
  readonly listen: boolean
  /** Settles when it is known whether there are tables to look at. */
  readonly isThere: Promise<void>
  readonly pollMs: number
  /** Says something else whenever there is something new to look at. */
  readonly head: () => Promise<string>
}

export class News {
  readonly #options: NewsOptions
  readonly #listeners: (() => void)[] = []
  readonly #link: Link
  #timer: Timer | null = null
  #listening: PgClient | null = null
  #hasListened = false
  #isMissed = false
  #isClosed = false
  #seen = ''

  constructor(options: NewsOptions) {
    this.#options = options
    this.#link = new Link(options.server, (client) => this.#listen(client))
  }

  /** Listens before anybody looks, so that nothing is missed in between. */
  async begin(): Promise<void> {
    // One that cannot be had now is tried for again when the log is next looked at.
    if (this.#options.listen) await this.#link.client().catch(() => {})
  }

  onNews(listener: () => void): void {
    this.#listeners.push(listener)
    if (this.#isMissed) this.#tell()
    if (this.#timer !== null || this.#isClosed) return
    this.#wait()
  }

  /** What this process has seen itself is no news. */
  saw({ seq, at }: Head): void {
    this.#seen = `${seq} ${at}`
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    if (this.#listening !== null) await this.#say(this.#listening, false).catch(() => {})
    await this.#link.close()
  }

  #connect(): void {
    if (!this.#options.listen || this.#listening !== null || this.#isClosed) return
    void this.begin()
  }

  async #listen(client: PgClient): Promise<void> {
    client.on('notification', ({ payload }) => {
      if (payload !== this.#options.process) this.#tell()
    })
    client.once('end', () => {
      this.#listening = null
      this.#connect()
    })
    await this.#options.isThere
    // Whoever writes from now on knows of it, and knows that it hears.
    await Promise.all(
      this.#link.together(client, () => [
        client.query(`LISTEN "${this.#options.channel}"`),
        this.#say(client, true),
      ]),
    )
    this.#listening = client
    // Something may have been said while nobody listened.
    if (this.#hasListened) this.#tell()
    this.#hasListened = true
  }

  async #say(client: PgClient, isListening: boolean): Promise<void> {
    const { schema, process } = this.#options
    const text = `SELECT ${schema}.listens($1, $2)`
    await this.#link.ask(client, { text, values: [process, isListening] })
  }

  #wait(): void {
    const { server, pollMs } = this.#options
    const ms = this.#listening !== null ? pollMs * WHILE_LISTENING : pollMs
    this.#timer = server.world.timers.after(ms, () => {
      this.#connect()
      this.#look().then(
        () => this.#isClosed || this.#wait(),
        () => this.#isClosed || this.#wait(),
      )
    })
  }

  async #look(): Promise<void> {
    const before = this.#seen
    const now = await this.#options.head()
    if (now === this.#seen || this.#seen !== before) return
    this.#seen = now
    this.#tell()
  }

  #tell(): void {
    this.#isMissed = this.#listeners.length === 0
    if (!this.#isClosed) for (const listener of this.#listeners) listener()
  }
}
