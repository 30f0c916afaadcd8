// Stands between the ledger and the table service, to lose what they say to each other, or to answer in its place.
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { type TestTables, tablesOf } from './azurite.ts'

interface ProxyRequest {
  readonly method: string
  /** With what follows it. */
  readonly path: string
  readonly body: string
}

/**
 * What becomes of a request: the connection may be cut before it gets there, when it was done, or within the answer. When it is
 * swallowed it is done, and nothing is ever said of it.
 */
export type Fate =
  | 'pass'
  | 'dropBefore'
  | 'dropAfter'
  | 'dropWithin'
  | 'swallow'
  | { readonly status: number; readonly headers?: { readonly [name: string]: string } }

export interface TablesProxy extends TestTables {
  /** Is asked what becomes of the nth request, from 1 on. Until it has said so the request waits. */
  decide: (n: number, request: ProxyRequest) => Fate | Promise<Fate>
  /** Is told of each that was swallowed, when it is done. */
  onSwallowed: () => void
  /** Nobody gets through any more, nor an answer back, as after a crash. */
  isDown: boolean
  /** How many came so far. */
  readonly count: number
}

export async function startProxy(tables: TestTables): Promise<TablesProxy> {
  const target = new URL(/TableEndpoint=([^;]*)/.exec(tables.account)?.[1] as string)
  const agent = new Agent({ keepAlive: true })
  let count = 0
  const server = createServer(async (near, answer) => {
    const body = await bodyOf(near)
    const { method = '', url = '' } = near
    const n = ++count
    const fate = proxy.isDown
      ? 'dropBefore'
      : await proxy.decide(n, { method, path: url, body: body.toString() })
    if (fate === 'dropBefore' || proxy.isDown) near.socket.destroy()
    else if (typeof fate === 'object') answer.writeHead(fate.status, fate.headers).end()
    else await forward(near, answer, { body, fate })
  })

  /** What it was signed with is passed on as it is. */
  const forward = async (
    near: IncomingMessage,
    answer: ServerResponse,
    { body, fate }: { readonly body: Buffer; readonly fate: Fate },
  ) => {
    const { method, url, headers } = near
    const { hostname: host, port } = target
    const far = await new Promise<IncomingMessage>((resolve, reject) => {
      send({ agent, host, port, method, path: url, headers }, resolve).on('error', reject).end(body)
    })
    const said = await bodyOf(far)
    if (fate === 'dropAfter' || proxy.isDown) return near.socket.destroy()
    if (fate === 'swallow') return proxy.onSwallowed()
    answer.writeHead(far.statusCode as number, far.headers)
    if (fate === 'pass') return answer.end(said)
    return answer.write(said.subarray(0, said.length / 2), () => near.socket.destroy())
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const shown = new URL(target)
  shown.port = String((server.address() as { port: number }).port)
  const stop = async () => {
    server.closeAllConnections()
    agent.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  const proxy: TablesProxy = {
    ...tablesOf(tables.account.replace(target.href, shown.href), stop),
    decide: () => 'pass',
    onSwallowed: () => {},
    isDown: false,
    get count() {
      return count
    },
  }
  return proxy
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(message))
}
