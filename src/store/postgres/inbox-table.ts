import type { CallersTransaction } from '../inbox.ts'
import type { InboxTable } from '../tables/tables.ts'
import type { Query } from './link.ts'

interface Answered {
  readonly body: string
  readonly answer: string
  readonly created_at: string
}

/** Requests from transactions of others, who need no more than to be able to call one function. */
export class PostgresInbox implements InboxTable {
  readonly #s: string
  readonly #read: (query: Query) => Promise<readonly Answered[]>

  constructor(schema: string, read: (query: Query) => Promise<readonly Answered[]>) {
    this.#s = schema
    this.#read = read
  }

  async put(transaction: CallersTransaction, body: string): Promise<void> {
    const text = `SELECT ${this.#s}.submit($1)`
    await (typeof transaction === 'function' ? transaction(text, [body]) : transaction.query(text, [body]))
  }

  answered(limit: number): Promise<readonly Answered[]> {
    const text = `SELECT b.body, b.answer, to_char(b.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at
      FROM ${this.#s}.inbox b WHERE b.answer IS NOT NULL ORDER BY b.id DESC LIMIT $1`
    return this.#read({ text, values: [limit] })
  }
}
