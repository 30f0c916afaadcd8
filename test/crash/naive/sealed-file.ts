import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { checked, type JsonObject } from './delta-file.ts'

/** The lines of a sealed delta; throws when anything about the file is wrong. */
export function readSealed(path: string, bytes: Buffer): readonly JsonObject[] {
  const texts = gunzipSync(bytes).toString('utf8').split('\n').slice(0, -1)
  const lines: JsonObject[] = []
  let index: JsonObject | undefined
  let trailer: JsonObject | undefined
  for (const text of texts) {
    const line = JSON.parse(text) as JsonObject
    if (line.seq === undefined) {
      index ??= line.index as JsonObject | undefined
      trailer ??= line.trailer as JsonObject | undefined
    } else if (checked(Buffer.from(text)) === null || index !== undefined) {
      throw new Error(`${path}: a line is bad`)
    } else lines.push(line)
  }
  if (index === undefined || trailer === undefined) throw new Error(`${path}: no index or no trailer`)
  if (!hasDigest(bytes, trailer)) throw new Error(`${path}: not the content it was sealed with`)
  return lines
}

/** The trailer's member comes right after the index's, and its digest is of everything before it. */
export function hasDigest(bytes: Buffer, { index_at, index_bytes, sha256 }: JsonObject): boolean {
  const end = Number(index_at) + Number(index_bytes)
  return createHash('sha256').update(bytes.subarray(0, end)).digest('hex') === sha256
}
