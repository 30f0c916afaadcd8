import type { QueryResultRow } from 'pg'
import {
  Conflict,
  type Loaded,
  type TakenWork,
  type TakeWork,
  type Wanted,
  type WriteSet,
  type Written,
} from '../tables/tables.ts'
import { isLost, translated } from './errors.ts'
import type { Lanes } from './lanes.ts'
import type { Query } from './link.ts'
import type { Loading } from './load.ts'
import type { PgClient } from './load-pg.ts'
import { type Taken, type TakenRow, takenOf, type WorkQueries } from './work.ts'
import type { WriteLane } from './write-lane.ts'

/** Whoever takes work and is not heard of again loses it after this time. */
const LONGEST_IDLE_MS = 10_000

const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${LONGEST_IDLE_MS}`

const MOST_TRIES = 5

export interface SessionParts {
  readonly lanes: Lanes<WriteLane>
  readonly queries: WorkQueries
  readonly loading: Loading
  readonly onWritten: (written: Written) => void
  /** Keeps what is in the tail from being put elsewhere until the transaction ends, and says whether anything is in it. */
  readonly holdTail: Query
  readonly onTail: () => Promise<void>
}

/** Takes work in a transaction that stays open until it is written or released; the rows of the jobs are locked by it. */
export async function takeWork(parts: SessionParts, select: TakeWork, wanted: Wanted): Promise<TakenWork> {
  const lane = await parts.lanes.take()
  try {
    for (let tries = 1; ; tries++) {
      const client = await lane.link.client()
      try {
        const asked = lane.link.together(client, () => {
          const begun = lane.link.ask(client, { text: BEGIN })
          const holding = lane.link.ask<{ has_tail: boolean }>(client, parts.holdTail)
          const taking = lane.link.ask<TakenRow>(client, parts.queries.take(select))
          const reading = parts.loading.load(wanted, async (queries) => {
            const answers = await Promise.all(queries.map((query) => lane.link.ask(client, query)))
            return answers.map((answer) => answer.rows)
          })
          return [begun, taking, reading, holding] as const
        })
        const [, { rows }, also, held] = await Promise.all(asked)
        if (held.rows[0]?.has_tail === true) {
          await lane.link.ask(client, { text: 'ROLLBACK' })
          await parts.onTail()
          continue
        }
        return new Session(parts, lane, client, takenOf(rows), also)
      } catch (error) {
        if (!isLost(error) || tries >= MOST_TRIES) {
          lane.link.drop(client)
          throw translated(error, lane.link.address)
        }
      }
    }
  } catch (error) {
    parts.lanes.give(lane)
    throw error
  }
}

class Session implements TakenWork {
  readonly jobs: Taken['jobs']
  readonly requests: Taken['requests']
  readonly delivered: Taken['delivered']
  readonly also: Loaded
  readonly #parts: SessionParts
  readonly #lane: WriteLane
  readonly #client: PgClient
  #isOpen = true

  constructor(
    parts: SessionParts,
    lane: WriteLane,
    client: PgClient,
    { jobs, requests, delivered }: Taken,
    also: Loaded,
  ) {
    this.also = also
    this.#parts = parts
    this.#lane = lane
    this.#client = client
    this.jobs = jobs
    this.requests = requests
    this.delivered = delivered
  }

  load(wanted: Wanted): Promise<Loaded> {
    return this.#parts.loading.load(wanted, (queries) => this.#readAll(queries))
  }

  async write(set: WriteSet): Promise<Written> {
    if (!this.#isOpen) throw new Error('work that was written or released cannot be written again')
    this.#isOpen = false
    try {
      // Others may have looked meanwhile and passed over what was taken here and is left: they are to look again.
      const isNews = set.isNews || set.jobs.length < this.jobs.length
      const written = await this.#lane.write({ ...set, isNews }, this.#client)
      this.#parts.onWritten(written)
      return written
    } finally {
      this.#parts.lanes.give(this.#lane)
    }
  }

  async release(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    const over = this.#lane.link
      .ask(this.#client, { text: 'ROLLBACK' })
      .catch(() => this.#lane.link.drop(this.#client))
    // Where nothing was taken nobody has to wait: whoever is lent the connection next is served behind it.
    if (this.jobs.length > 0 || this.requests.length > 0) await over
    this.#parts.lanes.give(this.#lane)
  }

  /** On the same connection: should it be lost, so is the work, and nothing is gained by asking again. */
  async #readAll(queries: readonly Query[]): Promise<readonly (readonly QueryResultRow[])[]> {
    const { link } = this.#lane
    const answers = await Promise.allSettled(queries.map((query) => link.ask(this.#client, query)))
    return answers.map((answer) => {
      if (answer.status === 'rejected') throw lostWork(answer.reason, link.address)
      return answer.value.rows
    })
  }
}

/** Nothing was written yet: taking and deciding again is right. */
function lostWork(error: unknown, address: string): Error {
  return isLost(error)
    ? new Conflict('the connection was lost', { cause: error })
    : translated(error, address)
}
