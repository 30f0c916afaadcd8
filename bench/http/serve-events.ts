import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Ledger } from 'waybill'
import { EventHub } from '../../src/server/events/event-hub.ts'
import { responseSink } from '../../src/server/events/response-sink.ts'
import { realWorld } from '../../src/world/world.ts'

/** A server that answers for a ledger. */
export interface Served {
  /** Where the stream is. */
  readonly url: string
  /** What the nth client says of itself. */
  headers(nth: number): { readonly [name: string]: string }
  close(): Promise<void>
}

export type Serve = (ledger: Ledger) => Promise<Served>

/** The streams and nothing else. */
export const serveBare: Serve = async (ledger) => {
  const hub = new EventHub({ ledger, world: realWorld, mostPerPrincipal: Number.POSITIVE_INFINITY })
  const server = createServer((_, response) => {
    const principal = { name: 'bench', tenants: null, token_id: null }
    void hub.open({ sink: responseSink(response), principal, filter: {} })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1/events`,
    headers: () => ({}),
    async close() {
      await hub.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
