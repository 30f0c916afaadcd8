// Makes a snapshot in a thread of its own.
import { parentPort, workerData } from 'node:worker_threads'
import { LedgerDamaged } from '../../errors/journal-errors.ts'
import { systemClock } from '../../world/clock.ts'
import { debugLogger } from '../../world/logger.ts'
import { nodeDisk } from '../../world/node-disk.ts'
import { systemTimers } from '../../world/timers.ts'
import { compact } from './compaction.ts'
import type { WorkerAnswer, WorkerMessage, WorkerTask } from './compactor.ts'
import { endedByFlag } from './ended-by-flag.ts'
import type { Progress } from './snapshot/progress.ts'

const { folder, job, flag } = workerData as WorkerTask

async function answer(): Promise<WorkerAnswer> {
  try {
    const disk = endedByFlag(nodeDisk, flag)
    const place = { disk, folder, timers: systemTimers, logger: debugLogger }
    return { compacted: await compact(place, job, saySeldom) }
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return error instanceof LedgerDamaged ? { damage: error.place, message: error.what } : { message, code }
  }
}

const SELDOM_MS = 100
let said = 0

/** Whoever is told is busy with other things. */
function saySeldom(progress: Progress): void {
  const now = systemClock.now()
  if (now - said < SELDOM_MS && progress.done < progress.total) return
  said = now
  say({ progress })
}

function say(message: WorkerMessage): void {
  parentPort?.postMessage(message)
}

say(await answer())
