import { getHeapStatistics } from 'node:v8'

/** Bytes that objects may take up in all. */
export const HEAP_BYTES: number = getHeapStatistics().heap_size_limit
