import type { Ledger } from 'waybill'
import { serve } from 'waybill/server'

/** A server that answers for a ledger. */
export interface Served {
  /** Where the stream is. */
  readonly url: string
  /** What the nth client says of itself. */
  headers(nth: number): { readonly [name: string]: string }
  close(): Promise<void>
}

/** One token may have so many streams open. */
const PER_TOKEN = 100

/** Followed as strangers follow it: over HTTP, with tokens. */
export async function serveEvents(ledger: Ledger, clients: number): Promise<Served> {
  const server = await serve(ledger)
  const tokens: string[] = []
  while (tokens.length * PER_TOKEN < clients) {
    const name = `follower-${tokens.length}`
    tokens.push((await ledger.tokens.mint({ name, role: 'viewer', tenants: ['*'] })).token)
  }
  return {
    url: `${server.url}/v1/events`,
    headers: (nth) => ({ authorization: `Bearer ${tokens[nth % tokens.length]}` }),
    close: () => server.close(),
  }
}
