import type { Protocol } from 'waybill'
import { embedding, ocr, sis } from './steps.ts'

// One request, several services: a step starts when the one before it succeeded, with its `output_ref` as input.

export const ocrEmbedding: Protocol = {
  protocol_id: 'ocr-embedding.v1',
  request_type: 'OCR->EMBEDDING',
  steps: [ocr, embedding],
}

export const embeddingSis: Protocol = {
  protocol_id: 'embedding-sis.v1',
  request_type: 'EMBEDDING->SIS',
  steps: [embedding, sis],
}

export const ocrEmbeddingSis: Protocol = {
  protocol_id: 'ocr-embedding-sis.v1',
  request_type: 'OCR->EMBEDDING->SIS',
  steps: [ocr, embedding, sis],
}
