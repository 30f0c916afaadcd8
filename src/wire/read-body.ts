import { BadMessage, BodyTooLarge } from '../errors/message-errors.ts'

interface WithBody {
  readonly headers: { get(name: string): string | null }
  readonly body: ReadableStream<Uint8Array> | null
}

/** The whole body; `BodyTooLarge` as soon as it is known to have more bytes than it may. */
export async function readBody({ headers, body }: WithBody, maxBytes: number): Promise<Uint8Array> {
  if (Number(headers.get('content-length') ?? 0) > maxBytes) throw new BodyTooLarge(maxBytes)
  const read = await readUpTo(body, maxBytes).catch((cause: unknown) => {
    const message = `The body broke off: ${(cause as Error).message}`
    throw new BadMessage({ message, next: 'Send the request again, whole.' }, { cause })
  })
  if (!read.isWhole) throw new BodyTooLarge(maxBytes)
  return read.bytes
}

/** The text of a body, or the beginning of it; the rest is never fetched. */
export async function readStart({ body }: WithBody, maxBytes: number): Promise<string> {
  const { bytes } = await readUpTo(body, maxBytes)
  return new TextDecoder().decode(bytes.subarray(0, maxBytes))
}

async function readUpTo(body: WithBody['body'], maxBytes: number) {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop early cancels the stream.
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBytes) return { bytes: Buffer.concat(chunks), isWhole: false }
  }
  return { bytes: Buffer.concat(chunks), isWhole: true }
}
