// Apart from where NATS's own types are used: whoever does not have them can still compile against these.

export interface NatsOptions {
  /** Where NATS is; the connection is made, kept and closed for you. */
  readonly servers?: string | readonly string[] | undefined
  /** Further options of NATS's own `connect`: who you are, TLS, how often to reconnect. */
  readonly connect?: { readonly [option: string]: unknown } | undefined
  /** Instead: a connection that you made with `@nats-io/transport-node`, and close yourself. */
  readonly connection?: NatsConnectionLike | undefined
}

/** What can be told of a connection without its package. */
export interface NatsConnectionLike {
  isClosed(): boolean
  status(): AsyncIterable<{ readonly type: string }>
}
