import type { Envelope, Protocol } from 'waybill'

function protocolOf(request_type: string, steps: number): Protocol {
  return {
    protocol_id: `${request_type.toLowerCase()}.v1`,
    request_type,
    steps: Array.from({ length: steps }, (_, nth) => ({
      step_id: `step-${nth}`,
      step_type: 'WORK',
      service: `${request_type.toLowerCase()}-${nth}`,
      delivery: 'pull',
    })),
  }
}

export const ONE_STEP = protocolOf('ONE', 1)
export const THREE_STEPS = protocolOf('THREE', 3)

/** About 200 bytes of payload; each asks for something else, since the same request twice would be one job. */
export function requestOf(number: number, { request_type }: Protocol): Envelope {
  return {
    tenant_id: 'default',
    request_type,
    input_ref: `files/input/${number}.pdf`,
    output_ref: `files/output/${number}.json`,
    payload: {
      document: `doc:${number}`,
      language: 'en',
      pages: [1, 2, 3, 4, 5, 6, 7, 8],
      options: { ocr: true, tables: false, threshold: 0.75 },
      note: 'please keep the figures and their captions together, and drop the running heads',
    },
    schema_version: 'v1',
  }
}
