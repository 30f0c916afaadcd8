import { ask } from './client.ts'

export interface Change {
  readonly tenant?: string
  /** Kept in the history; empty for none. */
  readonly reason?: string
  /** The record as the reader saw it: a change of one that has changed since is refused. */
  readonly etag?: string
  readonly body?: unknown
}

export function change<T>(path: string, { tenant, reason, etag, body }: Change): Promise<T> {
  return ask<T>(path, {
    method: 'POST',
    query: { tenant_id: tenant, reason },
    ...(body === undefined ? null : { body }),
    ...(etag === undefined ? null : { headers: { 'if-match': `"${etag}"` } }),
  })
}
