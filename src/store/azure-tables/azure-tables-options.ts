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
