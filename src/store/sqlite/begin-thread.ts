import { Worker } from 'node:worker_threads'
import type { ThreadData } from './calls.ts'

const WORKER = new URL(`./sqlite-worker${import.meta.url.slice(-3)}`, import.meta.url)

/** Apart from who uses it: most programs have written something by the time that they need a thread. */
export function beginThread(data: ThreadData): Worker {
  return new Worker(WORKER, { workerData: data })
}
