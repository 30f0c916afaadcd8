import { describe, expect, it } from 'vitest'
import { batchBody, batchEtags } from './batch.ts'
import { TransactionRefused } from './errors.ts'

const URL = 'https://acc.table.core.windows.net/WaybillJobs'

/** As Azure answers, with headers in another order than the emulator's. */
const part = (status: string, ...lines: readonly string[]) => [
  '--changesetresponse_1',
  'Content-Type: application/http',
  'Content-Transfer-Encoding: binary',
  '',
  status,
  ...lines,
]

const answer = (...parts: readonly (readonly string[])[]) =>
  [
    '--batchresponse_1',
    'Content-Type: multipart/mixed; boundary=changesetresponse_1',
    '',
    ...parts.flat(),
    '--changesetresponse_1--',
    '--batchresponse_1--',
    '',
  ].join('\r\n')

describe('several writes as one request', () => {
  it('are written with the etag of each, also of what is deleted', () => {
    const body = batchBody(
      {
        url: URL,
        pk: "it's",
        writes: [
          { verb: 'insert', rk: 'a', columns: { n: 1, s: 'x\u2028y', is: true } },
          { verb: 'put', rk: 'b c', columns: {} },
          { verb: 'put', rk: 'c', columns: {}, etag: 'W/"1"' },
          { verb: 'delete', rk: 'd' },
          { verb: 'delete', rk: 'e', etag: 'W/"2"' },
        ],
      },
      'batch_1',
    )
    const lines = body.split('\r\n')
    expect(lines.filter((line) => / HTTP\/1\.1$/.test(line))).toEqual([
      `POST ${URL} HTTP/1.1`,
      `PUT ${URL}(PartitionKey='it''s',RowKey='b%20c') HTTP/1.1`,
      `PUT ${URL}(PartitionKey='it''s',RowKey='c') HTTP/1.1`,
      `DELETE ${URL}(PartitionKey='it''s',RowKey='d') HTTP/1.1`,
      `DELETE ${URL}(PartitionKey='it''s',RowKey='e') HTTP/1.1`,
    ])
    expect(lines.filter((line) => line.startsWith('If-Match'))).toEqual([
      'If-Match: W/"1"',
      'If-Match: *',
      'If-Match: W/"2"',
    ])
    expect(lines.filter((line) => line.startsWith('{'))).toEqual([
      String.raw`{"PartitionKey":"it's","RowKey":"a","n":1,"n@odata.type":"Edm.Double","s":"x\u2028y","is":true}`,
      `{"PartitionKey":"it's","RowKey":"b c"}`,
      `{"PartitionKey":"it's","RowKey":"c"}`,
    ])
    expect([lines[0], lines.at(-3), lines.at(-2)]).toEqual(['--batch_1', '--changeset_1--', '--batch_1--'])
  })

  it('are answered with an etag for each that is still there', () => {
    const done = answer(
      part(
        'HTTP/1.1 204 No Content',
        "Location: https://x/T(PartitionKey='{a}',RowKey='b')",
        'ETag: W/"1"',
        '',
      ),
      part('HTTP/1.1 204 No Content', 'DataServiceVersion: 1.0;', '', ''),
      part('HTTP/1.1 204 No Content', 'etag:W/"2"', 'Cache-Control: no-cache', ''),
    )
    expect(batchEtags(done, 3)).toEqual(['W/"1"', '', 'W/"2"'])
  })

  it('are refused with what the service says of one of them', () => {
    const said =
      '{"odata.error":{"code":"EntityAlreadyExists","message":{"value":"1:It is there.\\nTime:1"}}}'
    const refused = answer(part('HTTP/1.1 409 Conflict', 'Content-Type: application/json', '', said))
    expect(() => batchEtags(refused, 3)).toThrow(
      expect.objectContaining({ status: 409, body: expect.stringContaining(said) }),
    )
  })

  it('may have been done when the answer makes no sense', () => {
    for (const nonsense of ['', 'hello', answer(part('HTTP/1.1 204 No Content', ''))])
      expect(() => batchEtags(nonsense, 2)).toThrow(TransactionRefused)
  })
})
