// The log lies in a table for each month, so that old history can be dropped instead of deleted. They are made some months
// ahead; what falls into none of them has a table of its own.

import { ServerUnavailable } from '../../errors/postgres-errors.ts'
import { sqlState } from './errors.ts'
import type { Link } from './link.ts'
import type { PgClient } from './load-pg.ts'

const MONTHS_AHEAD = 3

/** Most that is deleted in one transaction. */
const MOST_AT_ONCE = 5000

/** Whoever makes or drops tables of the log stops everybody for a moment; when it cannot be had soon, another time will do. */
const LOCK_WITHIN_MS = 2000

/** Writers that have not written for so long are gone. */
const WRITERS_KEPT = "interval '2 days'"

const NOT_OWNER = '42501'

interface Month {
  readonly name: string
  readonly from: string
  readonly to: string
}

export class Partitions {
  readonly #link: Link
  readonly #s: string
  readonly #lockName: string

  constructor(link: Link, schema: string) {
    this.#link = link
    this.#s = `"${schema}"`
    this.#lockName = `waybill upkeep ${schema}`
  }

  /** Makes what is missing from this time on; nearly always nothing is, which is asked of a connection that is there anyway. */
  async makeAhead(now: number, reader: Pick<Link, 'read'>): Promise<void> {
    const months = monthsFrom(now)
    const names = months.map(({ name }) => `${this.#s}.${name}`)
    const [row] = await reader.read<{ missing: number }>({
      text: 'SELECT count(*) FILTER (WHERE to_regclass(n) IS NULL) AS missing FROM unnest($1::text[]) AS n',
      values: [names],
    })
    if (row?.missing === 0) return
    try {
      await this.#alone(async (client) => {
        for (const month of months) await this.#make(client, month)
      })
    } catch (error) {
      // Only the owner of the log makes tables of it. Until it comes by, everything goes into the one for all other times.
      if (sqlState(error) !== NOT_OWNER) throw error
    }
  }

  /** Answers how many records of the history there are less. */
  async removeBefore(keepFrom: number): Promise<number> {
    const s = this.#s
    const [cut] = await this.#link.read<{ seq: number; removed: number }>({
      text: `SELECT h.removed, COALESCE(
        (SELECT l.first_seq - 1 FROM ${s}.log l WHERE l.last_at >= $1 ORDER BY l.first_seq LIMIT 1), h.seq) AS seq
        FROM ${s}.head h`,
      values: [Math.ceil(keepFrom)],
    })
    if (cut === undefined) return 0
    const client = await this.#link.client()
    // For everybody else it is gone from here on; clearing up may take its time, or be gone on with another time.
    const { rows } = await this.#link.ask<{ gone: number }>(client, {
      text: `UPDATE ${s}.head h SET removed = $1, records = h.records - ($1 - h.removed)
        FROM (SELECT removed FROM ${s}.head FOR UPDATE) AS o WHERE o.removed < $1 RETURNING $1 - o.removed AS gone`,
      values: [cut.seq],
    })
    await this.#clear(Math.max(cut.seq, cut.removed))
    return rows[0]?.gone ?? 0
  }

  /** Rows of processes that ended without a word: those that wrote, and those that listened. */
  async forgetTheGone(): Promise<void> {
    const client = await this.#link.client()
    const text = `DELETE FROM ${this.#s}.writer WHERE seen_at < now() - ${WRITERS_KEPT}`
    await this.#link.ask(client, { text })
    await this.#link.ask(client, { text: `SELECT ${this.#s}.listens(NULL, false)` })
  }

  async #clear(upTo: number): Promise<void> {
    if (upTo === 0) return
    await this.#dropWhole(upTo)
    for (;;) {
      const client = await this.#link.client()
      const { rowCount } = await this.#link.ask(client, {
        text: `DELETE FROM ${this.#s}.log l USING
          (SELECT d.first_seq FROM ${this.#s}.log d WHERE d.first_seq <= $1 ORDER BY d.first_seq LIMIT ${MOST_AT_ONCE}) AS o
          WHERE l.first_seq = o.first_seq`,
        values: [upTo],
      })
      if ((rowCount ?? 0) < MOST_AT_ONCE) return
    }
  }

  /** Tables of months that are over and have nothing that is kept. */
  async #dropWhole(upTo: number): Promise<void> {
    const tables = await this.#link.read<{ name: string }>({
      text: `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        JOIN pg_class p ON p.oid = i.inhparent WHERE i.inhparent = $1::regclass AND c.relname ~ '^log_[0-9]{6}$'
        AND c.relname < (SELECT to_char(to_timestamp(at / 1000.0) AT TIME ZONE 'UTC', '"log_"YYYYMM') FROM ${this.#s}.head)
        ORDER BY 1`,
      values: [`${this.#s}.log`],
    })
    for (const { name } of tables) {
      const [kept] = await this.#link.read<{ is: boolean }>({
        text: `SELECT EXISTS (SELECT 1 FROM ${this.#s}."${name}" WHERE first_seq > $1) AS is`,
        values: [upTo],
      })
      if (kept?.is !== false) return
      await this.#alone(async (client) => {
        await this.#link.ask(client, { text: `DROP TABLE IF EXISTS ${this.#s}."${name}"` })
      })
    }
  }

  async #make(client: PgClient, { name, from, to }: Month): Promise<void> {
    const s = this.#s
    const { rows } = await this.#link.ask<{ is: boolean }>(client, {
      text: `SELECT to_regclass($1) IS NULL
        AND NOT EXISTS (SELECT 1 FROM ${s}.log_default WHERE at >= $2::timestamptz AND at < $3::timestamptz) AS is`,
      values: [`${s}.${name}`, from, to],
    })
    if (rows[0]?.is !== true) return
    await this.#link.ask(client, {
      text: `CREATE TABLE ${s}.${name} PARTITION OF ${s}.log FOR VALUES FROM ('${from}') TO ('${to}') WITH (toast_tuple_target = 8160)`,
    })
  }

  /** In a transaction, if nobody else is at it; what cannot be had soon is left for another time. */
  async #alone(work: (client: PgClient) => Promise<void>): Promise<void> {
    const client = await this.#link.client()
    await this.#link.ask(client, { text: `BEGIN; SET LOCAL lock_timeout = ${LOCK_WITHIN_MS}` })
    try {
      const { rows } = await this.#link.ask<{ is: boolean }>(client, {
        text: 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS is',
        values: [this.#lockName],
      })
      if (rows[0]?.is === true) await work(client)
      await this.#link.ask(client, { text: 'COMMIT' })
    } catch (error) {
      await this.#link.ask(client, { text: 'ROLLBACK' }).catch(() => {})
      if (!isBusy(error)) throw error
    }
  }
}

function isBusy(error: unknown): boolean {
  const { code } = error as { readonly code?: string }
  return code === '55P03' || code === '40P01' || error instanceof ServerUnavailable
}

/** In UTC. */
function monthsFrom(now: number): readonly Month[] {
  const then = new Date(now)
  return Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => {
    const from = Date.UTC(then.getUTCFullYear(), then.getUTCMonth() + ahead)
    const to = Date.UTC(then.getUTCFullYear(), then.getUTCMonth() + ahead + 1)
    const iso = new Date(from).toISOString()
    return { name: `log_${iso.slice(0, 4)}${iso.slice(5, 7)}`, from: iso, to: new Date(to).toISOString() }
  })
}
