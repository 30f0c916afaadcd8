import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inTurns, type Row, ratios, rowOf } from '../harness.ts'
import { ONE_STEP, requestOf } from '../jobs/requests.ts'
import { perSecond } from '../journal/bare-lines.ts'
import type { Bench } from '../suite/bench.ts'
import { sendAll } from './load.ts'
import type { Served } from './serving.ts'

const CONNECTIONS = 100
const SERVING = join(import.meta.dirname, 'serving.ts')
const CLAIMED_AT_ONCE = 100

/** Of what an echo does, at least so much. */
const TARGET = { atLeast: 0.5 }

/** Durable submits and callbacks over HTTP, beside a route that checks and echoes the same bodies. */
export async function requests(bench: Bench): Promise<readonly Row[]> {
  const count = bench.isQuick ? 10_000 : 30_000
  const submits = Array.from({ length: count }, (_, nth) => JSON.stringify(requestOf(nth, ONE_STEP)))
  const said = await inTurns(
    bench.isQuick ? 3 : 5,
    {
      echoSubmit: () => withServer('echo', bench.folder, (to) => send(to, '/v1/commands', submits)),
      submit: () => withServer('ledger', bench.folder, (to) => send(to, '/v1/commands', submits)),
      echoCallback: () =>
        withServer('echo', bench.folder, (to) => send(to, '/v1/callbacks/result', sampleCallbacks(count))),
      callback: () => withServer('ledger', bench.folder, (to) => callbacks(to, submits)),
    },
    (part) => bench.progress('sending', part),
  )
  return [
    rowOf('durable submits, 100 connections', '/s', said.submit),
    rowOf('an echo of the same bodies', '/s', said.echoSubmit),
    rowOf('submits ÷ echo', '×', ratios(said.submit, said.echoSubmit), TARGET),
    rowOf('durable callbacks, 100 connections', '/s', said.callback),
    rowOf('an echo of the same bodies', '/s', said.echoCallback),
    rowOf('callbacks ÷ echo', '×', ratios(said.callback, said.echoCallback), TARGET),
  ]
}

/** Half as many before it counts: the compiler has to see what there is. */
async function send(to: Served, path: string, bodies: readonly string[]): Promise<number> {
  const first = Math.floor(bodies.length / 3)
  const load = { url: to.url, token: to.token, path, connections: CONNECTIONS }
  await sendAll({ ...load, bodies: bodies.slice(0, first) })
  const rest = bodies.slice(first)
  return perSecond(rest.length, await sendAll({ ...load, bodies: rest }))
}

/** All jobs are submitted and claimed beforehand; what is measured is how they are reported on. */
async function callbacks(to: Served, submits: readonly string[]): Promise<number> {
  const load = { url: to.url, token: to.token, connections: CONNECTIONS }
  await sendAll({ ...load, path: '/v1/commands', bodies: submits })
  const bodies: string[] = []
  while (bodies.length < submits.length) {
    const response = await fetch(`${to.url}/v1/work/claim`, {
      method: 'POST',
      headers: { authorization: `Bearer ${to.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ queues: ['one-0'], limit: CLAIMED_AT_ONCE }),
    })
    const { work } = (await response.json()) as { work: readonly Attempt[] }
    if (work.length === 0) throw new Error('nothing to claim')
    for (const one of work) bodies.push(callbackOf(one))
  }
  return send(to, '/v1/callbacks/result', bodies)
}

interface Attempt {
  readonly tenant_id: string
  readonly jobId: string
  readonly stepId: string
  readonly attempt_no: number
  readonly lease_id: string
}

function callbackOf({ tenant_id, jobId, stepId, attempt_no, lease_id }: Attempt): string {
  const output = { pages: 12, text: 'files/output/1.txt', confidence: 0.93 }
  return JSON.stringify({ tenant_id, jobId, stepId, attempt_no, lease_id, status: 'SUCCEEDED', output })
}

function sampleCallbacks(count: number): string[] {
  const id = '01a1e7e3-1e02-700f-897a-07465a3f7f3e'
  const one = { tenant_id: 'default', jobId: id, stepId: 'step-0', attempt_no: 1, lease_id: id }
  return Array.from({ length: count }, () => callbackOf(one))
}

async function withServer<T>(
  what: 'echo' | 'ledger',
  folder: string,
  use: (to: Served) => Promise<T>,
): Promise<T> {
  const place = mkdtempSync(join(folder, `${what}-`))
  const child = fork(SERVING, [what, join(place, 'ledger')], { execArgv: ['--conditions=waybill-source'] })
  try {
    const served = await new Promise<Served>((resolve, reject) => {
      child.once('message', (message) => resolve(message as Served))
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
    })
    return await use(served)
  } finally {
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGKILL')
    await ended
    rmSync(place, { recursive: true, force: true })
  }
}
