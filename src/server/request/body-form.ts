import type { IncomingHttpHeaders } from 'node:http'
import { UnsupportedMedia } from '../../errors/http-errors.ts'

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i

/** A body is read as it came, and as UTF-8: unpacked, it could be of any size, and read otherwise, it could say anything. */
export function checkBodyForm({
  'content-encoding': encoding = 'identity',
  'content-type': type = '',
}: IncomingHttpHeaders): void {
  const charset = CHARSET.exec(type)?.[1] ?? 'utf-8'
  if (encoding.toLowerCase() !== 'identity') throw new UnsupportedMedia('content-encoding', encoding)
  if (charset.toLowerCase() !== 'utf-8') throw new UnsupportedMedia('content-type', type)
}
