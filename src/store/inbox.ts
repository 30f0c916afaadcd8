import type { Decision, Given } from '../core/decision.ts'
import type { JsonObject } from '../core/json.ts'

/**
 * A transaction of the caller's own, on the database that the ledger is in: a client of `pg` with a transaction open, or a
 * function that has a statement run in it.
 */
export type CallersTransaction =
  | { query(text: string, values: unknown[]): PromiseLike<unknown> }
  | ((text: string, values: unknown[]) => PromiseLike<unknown>)

/** A request that was not simply admitted: what came of it instead. */
interface InboxAnswer {
  readonly request: JsonObject
  readonly answer: JsonObject
  readonly created_at: string
}

/**
 * Requests that others put there in transactions of their own. Nothing is decided in those: it would have to wait for the
 * log, and everybody for it. A request counts when its transaction is committed, and is decided on right after.
 */
export interface Inbox {
  put(transaction: CallersTransaction, request: JsonObject): Promise<void>
  /**
   * Decides on requests that were committed, each by itself and once; answers how many there were. What a decision answers
   * is kept with the request, and so is a refusal; with null the request is done with.
   */
  admit(
    limit: number,
    decide: (request: JsonObject, given: Given) => Decision<JsonObject | null>,
  ): Promise<number>
  /** The newest of those that were answered, newest first. */
  answered(limit: number): Promise<readonly InboxAnswer[]>
}
