import { OutcomeUnknown } from '../../errors/postgres-errors.ts'
import { Conflict, type Head, type WriteSet, type Written } from '../tables/tables.ts'
import { type AppendOptions, Awaited, type Mark, Moved } from '../tables/tail/tail.ts'
import { APPEND_PARAMETERS, appendValues, formedValues } from './append-values.ts'
import type { Counted } from './counted.ts'
import { isLost, sqlState, translated, UNIQUE_STATE } from './errors.ts'
import { Link, type Query, type Server } from './link.ts'
import type { PgClient } from './load-pg.ts'
import { AWAITED_STATE, appendFormedSql, MOVED_STATE, TAIL_STATE } from './migrations/tail.ts'
import { STRANGER_STATE } from './migrations/write-function.ts'
import { ROW_TYPES, type RowTypes, WRITE_PARAMETERS, type WriteCall, writeValues } from './write-values.ts'

/** Times that the server is asked what became of a write: while it is still at it there, a lock is waited for. */
const MOST_QUESTIONS = 6

export interface WriteLaneOptions {
  readonly server: Server
  /** Quoted. */
  readonly schema: string
  /** Named in notifications. */
  readonly process: string
  /** Settles when it is known whether there are tables to write to. */
  readonly isThere: Promise<void>
  /** Of all lanes of the process. */
  readonly counted: Counted
  /** Something is in the tail, which is in the way of writes in place: puts it where it is found. */
  readonly onTail: () => Promise<void>
}

type Statement = Pick<Query, 'name' | 'text'>

type Appending = Pick<AppendOptions, 'isAwaited' | 'isAlone' | 'formed'>

/**
 * What a statement sees is what is there when it begins, whatever is usual in this database; and each row is looked up by its key,
 * however large the server takes a table for.
 */
const SETTINGS = `SELECT set_config('default_transaction_isolation', 'read committed', false), set_config('enable_seqscan', 'off', false)`

interface LostWrite {
  readonly writer: string
  readonly batch: number
  readonly isMade: boolean
}

/**
 * A connection that writes. Its first write makes a row for it in `writer`, and every write says there, within its
 * transaction, which one it is. When the connection is lost during a write, that row tells what became of it. Asking ends the
 * writer: should the server come to that write only now, it does nothing.
 */
export class WriteLane {
  readonly link: Link
  readonly #options: WriteLaneOptions
  readonly #calls: { readonly [call in WriteCall]: Statement }
  readonly #append: Statement
  readonly #appendFormed: Statement
  #writer = ''
  #batch = 0
  /** It has its row: one of its writes is there. */
  #isMade = false
  #types: RowTypes | null = null

  constructor(options: WriteLaneOptions) {
    this.#options = options
    this.link = new Link(options.server, (client) => this.#register(client))
    const call = (name: WriteCall) => callOf(options.schema, name, WRITE_PARAMETERS[name])
    this.#append = callOf(options.schema, 'append', APPEND_PARAMETERS)
    this.#appendFormed = { name: 'append_formed', text: appendFormedSql(options.schema) }
    this.#calls = { write: call('write'), write_alike: call('write_alike'), write_lone: call('write_lone') }
  }

  /** A transaction by itself, or a part of the one that is open on the connection and is ended with it. */
  async write(set: WriteSet, open: PgClient | null): Promise<Written> {
    const client = open ?? (await this.link.client())
    const { process, counted } = this.#options
    const writer = this.#writer
    const batch = ++this.#batch
    const isCounted = counted.hasCounts(set.counts)
    const isLimited = counted.hasLimits(set.slots)
    const isMade = this.#isMade
    const types = this.#types as RowTypes
    const stamp = { writer, batch, process, isMade, isCounted, isLimited, types }
    const { call, values } = writeValues(set, stamp)
    const statement = this.#calls[call]
    const asked = this.link.together(
      client,
      () =>
        [
          this.link.ask<{ head: readonly number[] }>(client, { ...statement, values }),
          open === null ? null : this.link.ask(client, { text: 'COMMIT' }),
        ] as const,
    )
    const [written, committed] = await Promise.allSettled(asked)
    const error = written.status === 'rejected' ? written.reason : (committed as PromiseRejectedResult).reason
    if (written.status === 'fulfilled' && committed.status === 'fulfilled') {
      this.#isMade = true
      if (!isCounted || !isLimited) counted.add(set)
      return writtenOf((written.value.rows[0] as { head: readonly number[] }).head)
    }
    counted.forget()
    if (isLost(error)) return this.#find({ writer, batch, isMade }, error)
    if (sqlState(error) === STRANGER_STATE) this.link.drop(client)
    if (sqlState(error) === TAIL_STATE) await this.#options.onTail()
    throw translated(error, this.link.address)
  }

  /** Adds a write to the tail. Several may be on their way: they are added in the order in which they were asked for. */
  async append(set: WriteSet, after: Mark, { isAwaited, isAlone, formed }: Appending): Promise<void> {
    const client = await this.link.client()
    const { process } = this.#options
    const writer = this.#writer
    const batch = ++this.#batch
    const stamp = { writer, batch, process, isAwaited }
    try {
      if (isAlone && formed !== null) {
        const values = formedValues(set, formed, after, stamp)
        const { rowCount } = await this.link.ask(client, { ...this.#appendFormed, values })
        if (rowCount === 1) return
      }
      // Or it says why it cannot be added, or tells others of it.
      await this.link.ask(client, { ...this.#append, values: appendValues(set, after, stamp) })
    } catch (error) {
      if (isLost(error)) await this.#findAppend({ writer, batch }, error)
      else throw appendError(error, this.link.address)
    }
  }

  /** Leaves no row behind. */
  async close(): Promise<void> {
    if (this.#isMade && this.link.pending === 0) {
      const query = {
        text: `DELETE FROM ${this.#options.schema}.writer WHERE id = $1`,
        values: [this.#writer],
      }
      await this.link
        .client()
        .then(
          (client) => this.link.ask(client, query),
          () => {},
        )
        .catch(() => {})
    }
    await this.link.close()
  }

  /** Whoever may not write is told so here, by an insert of nothing. */
  async #register(client: PgClient): Promise<void> {
    const { schema, server, isThere } = this.#options
    await isThere
    const [{ rows }] = await Promise.all(
      this.link.together(client, () => [
        client.query<{ name: string; oid: number }>(
          'SELECT typname AS name, oid FROM pg_type WHERE typnamespace = $1::regnamespace AND typname = ANY ($2::text[])',
          [schema, [...ROW_TYPES]],
        ),
        client.query(`INSERT INTO ${schema}.writer (id, batch, seen_at) SELECT '', 0, now() WHERE false`),
        client.query(SETTINGS),
      ]),
    )
    this.#types = Object.fromEntries(rows.map(({ name, oid }) => [name, oid])) as RowTypes
    this.#writer = server.world.ids.next()
    this.#batch = 0
    this.#isMade = false
  }

  /** What became of one whose answer never came. Nobody's is added any more afterwards that was sent before. */
  async #findAppend({ writer, batch }: Omit<LostWrite, 'isMade'>, cause: unknown): Promise<void> {
    const { address } = this.link
    const text = `SELECT ${this.#options.schema}.end_appends($1, $2) AS is_there`
    for (let questions = 1; ; questions++) {
      try {
        const client = await this.link.client()
        const { rows } = await this.link.ask<{ is_there: boolean }>(client, { text, values: [writer, batch] })
        if (rows[0]?.is_there === true) return
        break
      } catch (error) {
        const mayAskAgain = isLost(error) || translated(error, address) instanceof Conflict
        if (!mayAskAgain || questions >= MOST_QUESTIONS) throw unknown(address, error)
      }
    }
    throw new Conflict('the connection was lost before it was written', { cause })
  }

  /** What became of a write whose answer never came. */
  async #find({ writer, batch, isMade }: LostWrite, cause: unknown): Promise<Written> {
    const { schema } = this.#options
    const { address } = this.link
    // A write that would have made the row, and comes only now, finds this one instead.
    const text = isMade
      ? `UPDATE ${schema}.writer SET is_over = true WHERE id = $1 RETURNING batch`
      : `INSERT INTO ${schema}.writer AS w (id, batch, is_over, seen_at) VALUES ($1, 0, true, now())
          ON CONFLICT (id) DO UPDATE SET is_over = true RETURNING w.batch`
    for (let questions = 1; ; questions++) {
      try {
        const client = await this.link.client()
        const { rows } = await this.link.ask<{ batch: number }>(client, { text, values: [writer] })
        const [row] = rows
        // It was so long ago that somebody cleared up.
        if (row === undefined) throw new OutcomeUnknown(address, cause)
        if (row.batch < batch) throw new Conflict('the connection was lost before it was written', { cause })
        const [head] = await this.link.read<Head & { readonly turn: number }>({
          text: `SELECT seq, at, records, removed, turn FROM ${schema}.head`,
        })
        const { turn, ...rest } = head as Head & { readonly turn: number }
        return { head: rest, owes: true, turn }
      } catch (error) {
        if (error instanceof Conflict || error instanceof OutcomeUnknown) throw error
        const mayAskAgain = isLost(error) || translated(error, address) instanceof Conflict
        if (!mayAskAgain || questions >= MOST_QUESTIONS) throw unknown(address, error)
      }
    }
  }
}

function callOf(schema: string, name: string, parameters: number): Statement {
  const places = Array.from({ length: parameters }, (_, index) => `$${index + 1}`)
  return { name, text: `SELECT ${schema}.${name}(${places.join(', ')}) AS head` }
}

function unknown(address: string, cause: unknown): OutcomeUnknown {
  return new OutcomeUnknown(address, cause)
}

function writtenOf([
  seq = 0,
  at = 0,
  records = 0,
  removed = 0,
  owed = 0,
  turn = 0,
]: readonly number[]): Written {
  return { head: { seq, at, records, removed }, owes: owed > 0, turn }
}

/** Somebody has the place in the log, or nobody has the one before it. */
const MOVED = new Set([MOVED_STATE, UNIQUE_STATE])

function appendError(error: unknown, address: string): Error {
  const state = sqlState(error) ?? ''
  if (MOVED.has(state)) return new Moved('the log does not end there', { cause: error })
  if (state === AWAITED_STATE) return new Awaited('somebody waits for a signal of it', { cause: error })
  return translated(error, address)
}
