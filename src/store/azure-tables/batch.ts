// Several writes as one request. The SDK could write it as well, but leaves out the etag of a row that is to be deleted.

import { typed } from './columns.ts'
import { TransactionRefused } from './errors.ts'
import type { RowWrite } from './service.ts'

const END = '\r\n'

/** What every write within a transaction is asked with: without them the service takes it for one of another format. */
const HEADERS = ['Accept: application/json;odata=minimalmetadata', 'DataServiceVersion: 3.0']

/** Whatever a line ends with somewhere. In JSON they may be written in another way, and then no line ends there. */
const LINE_ENDS = /[\u2028\u2029]/g

export interface Batch {
  /** Where the table is, with its name. */
  readonly url: string
  readonly pk: string
  readonly writes: readonly RowWrite[]
}

/** The body of the request. What stands between its parts cannot be in one: no value and no key has a line of its own. */
export function batchBody({ url, pk, writes }: Batch, boundary: string): string {
  const changes = boundary.replace('batch', 'changeset')
  const parts = writes.flatMap((write) => [
    `--${changes}`,
    'Content-Type: application/http',
    'Content-Transfer-Encoding: binary',
    '',
    ...requestLines(url, pk, write),
  ])
  return [
    `--${boundary}`,
    `Content-Type: multipart/mixed; boundary=${changes}`,
    '',
    ...parts,
    `--${changes}--`,
    `--${boundary}--`,
    '',
  ].join(END)
}

function requestLines(url: string, pk: string, write: RowWrite): readonly string[] {
  const row = `${url}(PartitionKey='${keyText(pk)}',RowKey='${keyText(write.rk)}')`
  if (write.verb === 'delete')
    return [`DELETE ${row} HTTP/1.1`, ...HEADERS, `If-Match: ${write.etag ?? '*'}`, '', '']
  const body = JSON.stringify({ PartitionKey: pk, RowKey: write.rk, ...typed(write.columns) })
  return [
    ...(write.verb === 'insert'
      ? [`POST ${url} HTTP/1.1`, 'Prefer: return-no-content']
      : [`PUT ${row} HTTP/1.1`, ...(write.etag === undefined ? [] : [`If-Match: ${write.etag}`])]),
    ...HEADERS,
    'Content-Type: application/json',
    '',
    body.replace(LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16)}`),
  ]
}

function keyText(key: string): string {
  return encodeURIComponent(key.replaceAll("'", "''"))
}

/** The etags of all rows, of one that was deleted an empty text. */
export function batchEtags(answer: string, count: number): readonly string[] {
  const parts = answer.split(/^--changesetresponse_.*$/m).filter((part) => /^HTTP\/1\.1 \d/m.test(part))
  const etags = parts.map((part) => {
    const status = Number(/^HTTP\/1\.1 (\d+)/m.exec(part)?.[1])
    if (status >= 400) throw new TransactionRefused(status, /^\{.*\}\s*$/m.exec(part)?.[0] ?? '')
    return /^ETag: *(.*?)\s*$/im.exec(part)?.[1] ?? ''
  })
  // Nobody knows what was done of it.
  if (etags.length !== count) throw new TransactionRefused(BAD_GATEWAY, '')
  return etags
}

const BAD_GATEWAY = 502
