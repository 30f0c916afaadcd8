import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Ledger } from 'waybill'
import { type Row, rowOf } from '../harness.ts'
import { withFreshLedger } from '../jobs/fresh-ledger.ts'
import type { Bench } from '../suite/bench.ts'
import type { ClientsMessage, ClientsReport } from './event-clients.ts'
import { type Served, serveEvents } from './serve-events.ts'

const CHILD = join(import.meta.dirname, 'event-clients.ts')

const PER_SECOND = 50
/** How long clients may take for what is still on its way at the end. */
const GRACE_MS = 10_000

/** How soon a thousand clients in another process hear of what happens, and what they cost the server. */
export async function events(bench: Bench): Promise<readonly Row[]> {
  const clients = bench.isQuick ? 200 : 1000
  const seconds = bench.isQuick ? 4 : 20
  return withFreshLedger({ folder: bench.folder, engine: 'journal' }, async (ledger) => {
    const served = await serveEvents(ledger, clients)
    const child = fork(CHILD, [served.url], { execArgv: ['--conditions=waybill-source'] })
    try {
      bench.progress('warming up')
      await connected(child, served, 50)
      await happens(ledger, 100)
      await reportOf(child, 100)
      const before = memory()
      bench.progress(`connecting ${clients} clients`)
      await connected(child, served, clients)
      const atRest = memory()
      await happens(ledger, PER_SECOND * seconds, (part) =>
        bench.progress(`${PER_SECOND} events a second`, part),
      )
      const used = memory()
      const { lost, doubled, p50, p99, longest } = await reportOf(child, PER_SECOND * seconds)
      const perClient = (bytes: number) => [(bytes - before) / clients / 1000]
      const what = `${clients} clients, ${PER_SECOND} events/s`
      return [
        rowOf(`${what}: delay p50`, 'ms', [p50]),
        rowOf(`${what}: delay p99`, 'ms', [p99], { atMost: 1000 }),
        rowOf(`${what}: longest delay`, 'ms', [longest]),
        rowOf('events lost', '', [lost], { atMost: 0 }),
        rowOf('events that came twice', '', [doubled], { atMost: 0 }),
        rowOf('memory per client at rest', 'kB', perClient(atRest)),
        rowOf(`memory per client after ${seconds} s`, 'kB', perClient(used), { atMost: 100 }),
      ]
    } finally {
      child.disconnect()
      await once(child, 'exit')
      await served.close()
    }
  })
}

async function connected(child: ChildProcess, { headers }: Served, clients: number): Promise<void> {
  tell(child, { connect: Array.from({ length: clients }, (_, nth) => headers(nth)) })
  await once(child, 'message')
}

async function reportOf(child: ChildProcess, count: number): Promise<ClientsReport> {
  tell(child, { report: { events: count, withinMs: GRACE_MS } })
  const [report] = await once(child, 'message')
  return report as ClientsReport
}

function tell(child: ChildProcess, message: ClientsMessage): void {
  child.send(message)
}

/** Each at its own time, however late the one before; each says which it is, and when it was sent. */
async function happens(
  ledger: Ledger,
  count: number,
  progress: (part: number) => void = () => {},
): Promise<void> {
  const start = performance.now()
  const written: Promise<unknown>[] = []
  for (let nth = 0; nth < count; nth++) {
    const wait = start + (nth * 1000) / PER_SECOND - performance.now()
    if (wait > 0) await new Promise((tick) => setTimeout(tick, wait))
    const reason = `${nth} ${performance.timeOrigin + performance.now()}`
    written.push(ledger.documents.updateState(`doc:${count}-${nth}`, 'fetching', { reason }))
    progress(nth / count)
  }
  await Promise.all(written)
}

/** What the process has, without what it need not have any more. */
function memory(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage.rss()
}
