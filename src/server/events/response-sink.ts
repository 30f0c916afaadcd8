import type { ServerResponse } from 'node:http'
import type { Sink } from './sink.ts'

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Neither kept nor changed on its way: who compresses gathers first.
  'cache-control': 'no-store, no-transform',
  // nginx would gather as well.
  'x-accel-buffering': 'no',
}

/** A stream over HTTP. Headers that were set on the answer before go out with it. */
export function responseSink(response: ServerResponse): Sink {
  return {
    begin() {
      response.writeHead(200, HEADERS)
      response.socket?.setTimeout(0)
    },
    write: (bytes) => response.write(bytes),
    end: () => void response.end(),
    destroy: () => void response.destroy(),
    listen({ drained, closed }) {
      response.on('drain', drained)
      response.once('close', closed)
      // It closes as well, which is all that there is to know.
      response.on('error', () => {})
      if (response.destroyed) closed()
    },
  }
}
