import type { Protocol } from 'waybill'
import { embedding, ocr, sis } from './steps.ts'

// One request, one service.

export const atomicOcr: Protocol = {
  protocol_id: 'atomic-ocr.v1',
  request_type: 'OCR',
  steps: [ocr],
}

export const atomicEmbedding: Protocol = {
  protocol_id: 'atomic-embedding.v1',
  request_type: 'EMBEDDING',
  steps: [embedding],
}

export const atomicSis: Protocol = {
  protocol_id: 'atomic-sis.v1',
  request_type: 'SIS',
  steps: [sis],
}
