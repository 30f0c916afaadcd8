import { getHeapStatistics } from 'node:v8'

let limit = 0

/** Bytes that objects may take up in all. Found out when it first matters: who opens a ledger need not wait for it. */
export function heapBytes(): number {
  if (limit === 0) limit = getHeapStatistics().heap_size_limit
  return limit
}
