// Many who follow a ledger, in a process of their own: `event-clients.ts <url>`. Told of clients by their headers, it
// connects them and says `ready`; told to `report`, it waits until all have so many events and says how that went.
import { connect, type Socket } from 'node:net'
import { Latencies } from '../harness.ts'

export type ClientsMessage =
  | { readonly connect: readonly { readonly [name: string]: string }[] }
  | { readonly report: { readonly events: number; readonly withinMs: number } }

export interface ClientsReport {
  readonly lost: number
  readonly doubled: number
  readonly p50: number
  readonly p99: number
  readonly longest: number
}

/** As the events of the benchmark have it: which one it is, and when it was sent. */
const SENT = /"reason":"(\d+) ([\d.]+)"/g

const url = new URL(process.argv[2] ?? '')
const latencies = new Latencies()
const clients: Client[] = []

class Client {
  next = 0
  doubled = 0
  lost = 0
  readonly socket: Socket
  #rest = ''

  constructor(headers: { readonly [name: string]: string }, onBegun: () => void) {
    this.socket = connect(Number(url.port), url.hostname)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    this.socket.write(`GET ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\n${lines.join('')}\r\n`)
    this.socket.setEncoding('latin1').once('data', onBegun)
    this.socket.on('data', (text: string) => this.#take(text))
    this.socket.on('error', () => {})
  }

  #take(text: string): void {
    const now = performance.timeOrigin + performance.now()
    const all = this.#rest + text
    let end = 0
    for (const match of all.matchAll(SENT)) {
      end = match.index + match[0].length
      const nth = Number(match[1])
      latencies.add(now - Number(match[2]))
      if (nth < this.next) this.doubled++
      else this.lost += nth - this.next
      this.next = Math.max(this.next, nth + 1)
    }
    this.#rest = all.slice(end)
  }
}

process.on('message', async (message: ClientsMessage) => {
  if ('connect' in message) {
    // Not all in the same moment: that would measure how many the system lets wait at the door.
    for (let from = 0; from < message.connect.length; from += 50) {
      const some = message.connect.slice(from, from + 50)
      await Promise.all(
        some.map((headers) => new Promise<void>((begun) => clients.push(new Client(headers, begun)))),
      )
    }
    process.send?.('ready')
    return
  }
  const { events, withinMs } = message.report
  const until = performance.now() + withinMs
  while (performance.now() < until && clients.some(({ next }) => next < events)) {
    await new Promise((tick) => setTimeout(tick, 20))
  }
  const sum = (of: (client: Client) => number) => clients.reduce((total, client) => total + of(client), 0)
  const report: ClientsReport = {
    lost: sum(({ lost, next }) => lost + events - next),
    doubled: sum(({ doubled }) => doubled),
    p50: latencies.percentile(0.5),
    p99: latencies.percentile(0.99),
    longest: latencies.percentile(1),
  }
  for (const { socket } of clients.splice(0)) socket.destroy()
  latencies.clear()
  process.send?.(report)
})
process.on('disconnect', () => process.exit(0))
