import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import type { ClaimLines } from '../runtime/claim-lines.ts'
import type { EventHub } from './events/event-hub.ts'

/** From what a lone write takes to what somebody waits for. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 60]

interface Measured {
  readonly hub: Pick<EventHub, 'counters'>
  readonly lines: Pick<ClaimLines, 'waiting'>
}

/** Requests by route and status, and who waits: beside the metrics of the ledger. */
export async function measureHttp(
  app: FastifyInstance,
  registry: Registry,
  { hub, lines }: Measured,
): Promise<void> {
  const { Counter, Gauge, Histogram } = await import('prom-client')
  const registers = [registry]
  const seconds = new Histogram({
    name: 'waybill_http_request_seconds',
    help: 'How long requests took, by route and status; streams of events are not among them',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers,
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request
    const labels = { method, route: routeOptions.url ?? 'none', status: String(reply.statusCode) }
    seconds.observe(labels, reply.elapsedTime / 1000)
    done()
  })
  new Gauge({
    name: 'waybill_http_waiting_workers',
    help: 'Workers that wait for work',
    registers,
    collect() {
      this.set(lines.waiting)
    },
  })
  new Gauge({
    name: 'waybill_http_event_streams',
    help: 'Streams of events that are open',
    registers,
    collect() {
      this.set(hub.counters.clients)
    },
  })
  new Counter({
    name: 'waybill_http_events_sent_total',
    help: 'Events that were sent, to all together',
    registers,
    collect() {
      this.reset()
      this.inc(hub.counters.frames_sent)
    },
  })
  new Counter({
    name: 'waybill_http_event_streams_dropped_total',
    help: 'Streams that were cut off because nobody read them',
    registers,
    collect() {
      this.reset()
      this.inc(hub.counters.clients_dropped)
    },
  })
}
