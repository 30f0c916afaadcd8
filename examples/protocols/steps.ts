import type { ProtocolStep } from 'waybill'

// The three services that the protocols are put together from. Each gets a directive through the outbox and answers
// with callbacks; times and tries are the defaults unless a step says otherwise in its `policy`.

export const ocr = {
  step_id: 'ocr',
  step_type: 'OCR',
  service: 'ocr',
  delivery: 'push',
} as const satisfies ProtocolStep

export const embedding = {
  step_id: 'embedding',
  step_type: 'EMBEDDING',
  service: 'embedding',
  delivery: 'push',
} as const satisfies ProtocolStep

export const sis = {
  step_id: 'sis',
  step_type: 'SIS',
  service: 'sis',
  delivery: 'push',
} as const satisfies ProtocolStep
