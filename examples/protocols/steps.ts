import type { ProtocolStep } from 'waybill'

// The three services that the protocols are put together from. Each gets a directive through the outbox and answers
// with callbacks; times and tries are the defaults unless a step says otherwise in its `policy`. What a request may say
// to each is in its `payload_schema`: `payload.steps.ocr` if there is such a thing, else the whole payload.

export const ocr = {
  step_id: 'ocr',
  step_type: 'OCR',
  service: 'ocr',
  delivery: 'push',
  payload_schema: {
    type: 'object',
    properties: {
      language_hint: { type: 'string' },
      page_range: { type: 'string' },
      ocr_engine: { type: 'string' },
      output_format: { enum: ['TEXT', 'JSON'] },
    },
  },
} as const satisfies ProtocolStep

export const embedding = {
  step_id: 'embedding',
  step_type: 'EMBEDDING',
  service: 'embedding',
  delivery: 'push',
  payload_schema: {
    type: 'object',
    properties: {
      model: { type: 'string' },
      chunking: {
        type: 'object',
        properties: {
          strategy: { type: 'string' },
          max_tokens: { type: 'integer', minimum: 1 },
          overlap_tokens: { type: 'integer', minimum: 0 },
        },
      },
      normalize: { type: 'boolean' },
    },
  },
} as const satisfies ProtocolStep

export const sis = {
  step_id: 'sis',
  step_type: 'SIS',
  service: 'sis',
  delivery: 'push',
  payload_schema: {
    type: 'object',
    properties: {
      prompt_set: { type: 'string' },
      temperature: { type: 'number', minimum: 0, maximum: 2 },
      max_tokens: { type: 'integer', minimum: 1 },
      response_format: { enum: ['TEXT', 'JSON'] },
    },
  },
} as const satisfies ProtocolStep
