// Sends requests over connections that are kept, each of which sends the next when the last was answered. It does as little
// as it can for each: it runs on the same machine as what it measures.
import { connect, type Socket } from 'node:net'

export interface Load {
  readonly url: string
  readonly path: string
  readonly token: string
  readonly bodies: readonly string[]
  readonly connections: number
}

/** Milliseconds that all of it takes. Throws when anything is answered otherwise than with 2xx. */
export async function sendAll({ url, path, token, bodies, connections }: Load): Promise<number> {
  const { hostname, port, host } = new URL(url)
  const auth = token === '' ? '' : `authorization: Bearer ${token}\r\n`
  const requests = bodies.map((body) =>
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nhost: ${host}\r\n${auth}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  )
  let next = 0
  const sockets = await Promise.all(Array.from({ length: connections }, () => opened(hostname, Number(port))))
  const start = performance.now()
  await Promise.all(sockets.map((socket) => sendOn(socket, () => requests[next++])))
  const ms = performance.now() - start
  for (const socket of sockets) socket.destroy()
  return ms
}

function opened(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}

const LENGTH = /content-length: (\d+)/i
const END_OF_HEAD = '\r\n\r\n'

function sendOn(socket: Socket, next: () => Buffer | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let had = ''
    const send = () => {
      const request = next()
      if (request === undefined) resolve()
      else socket.write(request)
    }
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      had = had === '' ? chunk : had + chunk
      const head = had.indexOf(END_OF_HEAD)
      if (head === -1) return
      const length = Number(LENGTH.exec(had)?.[1] ?? 0)
      if (had.length < head + END_OF_HEAD.length + length) return
      if (had.slice('HTTP/1.1 '.length, 'HTTP/1.1 2'.length) !== '2') reject(new Error(had.slice(0, 1000)))
      had = ''
      send()
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed')))
    send()
  })
}
