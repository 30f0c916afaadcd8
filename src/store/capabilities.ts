/** What an engine declares of itself. Nothing is ever found out by trying. */
export interface Capabilities {
  readonly engine: string
  /** `transaction`: all of a change or nothing. `ordered`: rows in an order whose every prefix is legal. */
  readonly atomic: 'transaction' | 'ordered'
  /** Whether the log has one order for everything, or one for each record. */
  readonly order: 'total' | 'per-record'
  readonly watch: 'push' | 'poll'
  /** Several processes may write at once. */
  readonly multiProcess: boolean
  readonly counts: 'exact' | 'approximate'
  /** Orders that `find` supports; others are refused by name. */
  readonly findOrders: readonly FindOrder[]
  /** One change may span several jobs and documents (`ledger.batch`). */
  readonly batch: boolean
}

/** By tenant and id, or by the time of the last change and then by tenant and id; ids compare by code unit. */
export type FindOrder = 'id' | 'changed'
