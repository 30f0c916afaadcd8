// Protocols and workers for looking at jobs through the command line.
import { writeFileSync } from 'node:fs'
import type { Envelope, LedgerOptions, Protocol } from 'waybill'
import { openLedger } from 'waybill'
import type { Shell } from './cli-run.ts'

const pulled = (step_id: string, queue: string) =>
  ({ step_id, step_type: step_id.toUpperCase(), service: queue, delivery: 'pull' }) as const

const PROTOCOLS: readonly Protocol[] = [
  {
    protocol_id: 'render.v1',
    request_type: 'RENDER',
    steps: [
      pulled('fetch', 'fetch'),
      {
        ...pulled('draw', 'render'),
        payload_schema: { type: 'object', properties: { dpi: { type: 'number' } } },
      },
    ],
  },
  { protocol_id: 'fetch.v1', request_type: 'FETCH', steps: [pulled('fetch', 'fetch')] },
  {
    protocol_id: 'ocr.v1',
    request_type: 'OCR',
    steps: [{ step_id: 'ocr', step_type: 'OCR', service: 'ocr', delivery: 'push' }],
  },
]

/** TypeScript, because Node takes the types out; `begun` tells whoever waits for it that the handler is at work. */
const WORKER = `
interface Work {
  readonly input: { readonly does?: 'fail' | 'hang' }
  readonly previous: unknown
  readonly signal: AbortSignal
}

export const handlers = {
  fetch: async ({ input, signal }: Work) => {
    if (input.does === 'fail') throw Object.assign(new Error('The source is overloaded'), { code: 'HTTP_503' })
    if (input.does !== 'hang') return { bytes: 12 }
    console.log('begun')
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  },
  render: async ({ previous }: Work) => ({ drawn: previous }),
}

export const publishers = { ocr: { publish: async () => {} } }
`

/** Where the command line finds protocols and a worker by itself. */
export function writeProject(shell: Shell): void {
  writeFileSync(shell.path('waybill.protocols.json'), JSON.stringify({ protocols: PROTOCOLS }))
  writeFileSync(shell.path('waybill.worker.ts'), WORKER)
}

export function openWith(shell: Shell, name: string, options: LedgerOptions = {}) {
  return openLedger(shell.path(name), {
    protocols: PROTOCOLS,
    actor: 'ann',
    journal: { snapshotSchedule: null },
    ...options,
  })
}

export function request(job_id: string, request_type = 'FETCH', more: Partial<Envelope> = {}): Envelope {
  const tenant_id = 'default'
  return {
    tenant_id,
    request_type,
    job_id,
    input_ref: `in/${job_id}`,
    output_ref: 'out',
    payload: {},
    schema_version: 'v1',
    ...more,
  }
}
