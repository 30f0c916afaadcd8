import type { Protocol } from 'waybill'
import { atomicEmbedding, atomicOcr, atomicSis } from './atomic.ts'
import { embeddingSis, ocrEmbedding, ocrEmbeddingSis } from './chains.ts'

/** All six, to register in one go: `for (const protocol of protocols) ledger.jobs.register(protocol)`. */
export const protocols: readonly Protocol[] = [
  atomicOcr,
  atomicEmbedding,
  atomicSis,
  ocrEmbedding,
  embeddingSis,
  ocrEmbeddingSis,
]
