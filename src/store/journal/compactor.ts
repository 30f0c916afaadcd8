import { Worker } from 'node:worker_threads'
import { LedgerDamaged, type Place } from '../../errors/journal-errors.ts'
import { nodeDisk } from '../../world/node-disk.ts'
import { type Compacted, type CompactionJob, compact } from './compaction.ts'
import type { JournalPlace } from './load-journal.ts'
import type { OnProgress, Progress } from './snapshot/progress.ts'

type Compactor = (
  place: JournalPlace,
  job: CompactionJob,
  onProgress: OnProgress,
  signal: AbortSignal,
) => Promise<Compacted>

export interface WorkerTask {
  readonly folder: string
  readonly job: CompactionJob
  /** Shared by both threads: it is to end as soon as this is not 0. */
  readonly flag: Int32Array
}

/** What a worker says while it is at it, and when it is done. */
export type WorkerMessage = { readonly progress: Progress } | WorkerAnswer

export type WorkerAnswer =
  | { readonly compacted: Compacted }
  | { readonly damage: Place; readonly message: string }
  | { readonly message: string; readonly code: string | undefined }

/** On a real disk another thread does it; a disk in memory cannot be given to one. */
export function compactorFor({ disk }: JournalPlace): Compactor {
  return disk === nodeDisk ? compactInWorker : compact
}

const WORKER = new URL(`./compaction-worker${import.meta.url.slice(-3)}`, import.meta.url)

async function compactInWorker(
  { folder }: JournalPlace,
  job: CompactionJob,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Compacted> {
  const flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const worker = new Worker(WORKER, { workerData: { folder, job, flag } satisfies WorkerTask })
  // A compaction that is cut off is done again another time; nobody has to wait for it to end.
  worker.unref()
  const end = () => void Atomics.store(flag, 0, 1)
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  const over = new Promise<number>((resolve) => worker.once('exit', resolve))
  try {
    const answer = await new Promise<WorkerAnswer>((resolve, reject) => {
      worker.on('message', (message: WorkerMessage) => {
        if ('progress' in message) onProgress(message.progress)
        else resolve(message)
      })
      worker.once('error', reject)
      void over.then((code) => reject(new Error(`the compaction ended with ${code}`)))
    })
    if ('compacted' in answer) return answer.compacted
    if ('damage' in answer) throw new LedgerDamaged(answer.damage, answer.message)
    throw Object.assign(new Error(answer.message), { code: answer.code })
  } finally {
    signal.removeEventListener('abort', end)
    // It ends by itself when it has answered, or was told to.
    worker.ref()
    await over
  }
}
