// Stands between the ledger and the server, to lose what they say to each other.
import { connect, createServer, type Socket } from 'node:net'

export interface LossyProxy {
  readonly url: string
  /** Is asked before anything that the server says is passed on; the connection is cut when it says so. */
  cutsAnswer: (said: Buffer) => boolean
  /** The same for what is said to the server. */
  cutsQuestion: (said: Buffer) => boolean
  /** How it is cut: as if the other side had gone without a word, or as if it had said goodbye. */
  isReset: boolean
  close(): Promise<void>
}

export async function startProxy(url: string): Promise<LossyProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (said: Buffer) => {
      if (proxy.cutsQuestion(said)) cut(near)
      else far.write(said)
    })
    far.on('data', (said: Buffer) => {
      if (proxy.cutsAnswer(said)) cut(near)
      else near.write(said)
    })
  })
  const cut = (near: Socket) => (proxy.isReset ? near.resetAndDestroy() : near.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const shown = new URL(url)
  shown.port = String((server.address() as { port: number }).port)
  const proxy: LossyProxy = {
    url: shown.href,
    cutsAnswer: () => false,
    cutsQuestion: () => false,
    isReset: false,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}
