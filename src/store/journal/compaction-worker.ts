// Makes a snapshot in a thread of its own.
import { parentPort, workerData } from 'node:worker_threads'
import { LedgerDamaged } from '../../errors/journal-errors.ts'
import { debugLogger } from '../../world/logger.ts'
import { nodeDisk } from '../../world/node-disk.ts'
import { systemTimers } from '../../world/timers.ts'
import { type CompactionJob, compact } from './compaction.ts'
import type { WorkerAnswer } from './compactor.ts'

const { folder, job } = workerData as { readonly folder: string; readonly job: CompactionJob }

async function answer(): Promise<WorkerAnswer> {
  try {
    return {
      compacted: await compact({ disk: nodeDisk, folder, timers: systemTimers, logger: debugLogger }, job),
    }
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return error instanceof LedgerDamaged ? { damage: error.place, message: error.what } : { message, code }
  }
}

parentPort?.postMessage(await answer())
