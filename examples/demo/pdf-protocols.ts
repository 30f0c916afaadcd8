import type { Protocol } from 'waybill'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Four steps: three that workers claim, and one that goes out to a service which calls back. */
export const ingest: Protocol = {
  protocol_id: 'pdf-ingest.v1',
  request_type: 'PDF_INGEST',
  steps: [
    {
      step_id: 'download',
      step_type: 'DOWNLOAD',
      service: 'download',
      delivery: 'pull',
      policy: { backoff: { kind: 'exponential', baseMs: 10 * SECOND, capMs: MINUTE, jitter: 0.2 } },
    },
    { step_id: 'ocr', step_type: 'OCR', service: 'ocr', delivery: 'push' },
    { step_id: 'parse', step_type: 'PARSE', service: 'parse', delivery: 'pull' },
    {
      step_id: 'embed',
      step_type: 'EMBED',
      service: 'embed',
      delivery: 'pull',
      // Each tenant may use eight graphics cards at once; a worker that falls silent for two minutes loses its lease.
      limits: [{ key: 'gpu', max: 8 }],
      policy: { lease_ms: 2 * MINUTE },
    },
  ],
}

/** Waits for the documents of a tenant, then builds one search index of them. */
export const index: Protocol = {
  protocol_id: 'build-index.v1',
  request_type: 'BUILD_INDEX',
  steps: [{ step_id: 'index', step_type: 'INDEX', service: 'index', delivery: 'pull' }],
}
