import type { Handlers, LedgerState, Protocol, ProtocolStep, StepPolicy } from 'waybill'
import { pretending } from './pretend.ts'

const SECOND = 1000

const QUICK: StepPolicy = { max_attempts: 4, backoff: { kind: 'list', delaysMs: [2 * SECOND, 5 * SECOND] } }

/** The steps of the simulated day, with less patience: who watches does not want to wait for half a minute. */
export const quickIngest: Protocol = {
  protocol_id: 'pdf-ingest.v2',
  request_type: 'PDF_INGEST',
  steps: [
    step('download', 'fetching', 'fetched'),
    {
      ...step('ocr', 'parsing', 'parsed'),
      delivery: 'push',
      policy: { ...QUICK, ack_timeout_ms: 3 * SECOND, lease_ms: 6 * SECOND },
    },
    step('parse', 'validating', 'validated'),
    step('build', 'ir_building', 'ir_ready'),
    step('embed', 'embedding', 'completed'),
  ],
}

function step(name: string, enters: LedgerState, leaves: LedgerState): ProtocolStep {
  const document = { enters, leaves, fails: 'failed' } as const
  const step_type = name.toUpperCase()
  return { step_id: name, step_type, service: name, delivery: 'pull', policy: QUICK, document }
}

/** Who does the steps that are not the service's; of the simulated day, too, when a job of it is run again. */
export const ingestHandlers: Handlers = {
  download: pretending({
    seconds: [0.3, 2],
    fails: 0.15,
    trouble: { code: 'HTTP_503', message: 'The source is overloaded' },
  }),
  parse: pretending({
    seconds: [0.3, 1.5],
    breaks: 0.05,
    trouble: { code: 'ENCRYPTED_PDF', message: 'The file needs a password' },
  }),
  build: pretending({ seconds: [0.3, 1] }),
  embed: pretending({ seconds: [1, 4] }),
  index: pretending({ seconds: [2, 4] }),
}
