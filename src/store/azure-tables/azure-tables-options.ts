export interface AzureTablesOptions {
  /**
   * Who asks, where the address holds neither a key nor a signature; without it `@azure/identity` finds that out from where
   * the program runs.
   */
  readonly credential?: AzureCredential | undefined
  /**
   * What the names of all tables begin with; `Waybill` when absent. Letters and digits, the first one a letter. May stand in
   * the address as well: `?prefix=Name`, or `TablePrefix=Name` in a connection string.
   */
  readonly tablePrefix?: string | undefined
  /** Without it an account that holds no ledger yet is refused. */
  readonly create?: boolean | undefined
  /** How long one request may take before it is given up and made again, in milliseconds; 15 seconds unless told. */
  readonly requestTimeoutMs?: number | undefined
  /**
   * How long a service that is busy or cannot be reached is asked again before whoever waits is told, in milliseconds; a
   * minute unless told. A request that is under way by then is waited for.
   */
  readonly patienceMs?: number | undefined
  /** How many requests may be under way at once; 64 unless told. */
  readonly maxRequests?: number | undefined
  /**
   * The longest pause before somebody looks again whether others have written, in milliseconds; 2 seconds unless told. While
   * things happen the pauses are shorter.
   */
  readonly pollMs?: number | undefined
  /** How long the history is kept, in milliseconds; for ever unless told. */
  readonly keepHistoryMs?: number | undefined
  /**
   * Over how many partitions the keys and places of each tenant are spread, from 1 to 100; 1 unless told. Counts when the
   * ledger is made, and stays: one partition takes about 600 submits a second.
   */
  readonly shards?: number | undefined
  /**
   * What has to be added to this machine's clock to get the time that all machines go by, in milliseconds. Unless told, the
   * service's own clock says so when the ledger is opened.
   */
  readonly clockSkewMs?: number | undefined
}

/** What the SDK takes to be told who asks: something that gets tokens, the key of the account, or a signature. */
export type AzureCredential =
  | {
      getToken(
        scopes: string | string[],
        options?: object,
      ): Promise<{ readonly token: string; readonly expiresOnTimestamp: number } | null>
    }
  | { readonly name: string; readonly key: string }
  | { readonly signature: string }

export const DEFAULT_TABLE_PREFIX = 'Waybill'
export const DEFAULT_REQUEST_TIMEOUT_MS = 15_000
export const DEFAULT_PATIENCE_MS = 60_000
export const DEFAULT_MAX_REQUESTS = 64
export const DEFAULT_POLL_MS = 2000
export const DEFAULT_SHARDS = 1
export const MOST_SHARDS = 100
