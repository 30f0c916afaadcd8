// A line between browser and server that can be cut and mended: neither of them ends, so that the server still knows who is in.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface CutLine extends AsyncDisposable {
  /** The server, as it is reached over the line. */
  readonly url: string
  /** Nothing gets through, and what was under way is lost. */
  cut(): void
  mend(): void
}

export async function cutLine(to: string): Promise<CutLine> {
  const { port, hostname } = new URL(to)
  const open = new Set<Socket>()
  let isCut = false
  const line = createServer((near) => {
    // Nobody cares how it broke: it did.
    near.on('error', () => undefined)
    if (isCut) {
      near.resetAndDestroy()
      return
    }
    const far = connect(Number(port), hostname)
    far.on('error', () => near.destroy())
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  line.listen(0, hostname)
  await once(line, 'listening')
  const cut = () => {
    isCut = true
    for (const socket of open) socket.destroy()
  }
  return {
    url: `http://${hostname}:${(line.address() as AddressInfo).port}`,
    cut,
    mend() {
      isCut = false
    },
    async [Symbol.asyncDispose](): Promise<void> {
      cut()
      line.close()
      await once(line, 'close')
    },
  }
}
