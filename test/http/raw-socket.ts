// Requests that no client would send. What goes over the wire is what the test says, byte by byte.
import { connect } from 'node:net'

export interface RawAnswer {
  /** Null when the connection was ended without a word. */
  readonly status: number | null
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  /** Everything that came, when there was more than one answer. */
  readonly text: string
}

export interface RawOptions {
  /** Several chunks are written one after the other. */
  readonly chunks: readonly (string | Uint8Array)[]
  /** Writes nothing more, and tells the other side so. */
  readonly halfClose?: boolean
}

/** Sends it and reads until the server ends the connection, or a whole answer is there. */
export function rawRequest(port: number, what: string | Uint8Array | RawOptions): Promise<RawAnswer> {
  const { chunks, halfClose = false } =
    typeof what === 'string' || what instanceof Uint8Array ? { chunks: [what] } : what
  const { promise, resolve } = Promise.withResolvers<RawAnswer>()
  const parts: Buffer[] = []
  const socket = connect(port, '127.0.0.1')
  const finish = () => {
    socket.destroy()
    resolve(parse(Buffer.concat(parts).toString('latin1')))
  }
  socket.on('connect', () => {
    for (const chunk of chunks) socket.write(chunk)
    if (halfClose) socket.end()
  })
  socket.on('data', (data: Buffer) => {
    parts.push(data)
    if (isWhole(Buffer.concat(parts).toString('latin1'))) finish()
  })
  socket.on('close', finish)
  // The server may hang up while something is still being written: what it said before counts.
  socket.on('error', finish)
  return promise
}

/** A request with these lines; CRLF is added. */
export function lines(...all: readonly string[]): string {
  return `${all.join('\r\n')}\r\n\r\n`
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return false
  const head = text.slice(0, end)
  if (/^connection: close/im.test(head)) return false
  const length = /^content-length: (\d+)/im.exec(head)?.[1]
  return length !== undefined && text.length >= end + 4 + Number(length)
}

function parse(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [first = '', ...fields] = head.split('\r\n')
  const status = /^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]
  const headers = Object.fromEntries(
    fields.map((field) => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
    }),
  )
  return { status: status === undefined ? null : Number(status), headers, body: rest.join('\r\n\r\n'), text }
}
