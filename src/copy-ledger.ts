import { resolve } from 'node:path'
import { InvalidInput } from './errors/input-errors.ts'
import { WaybillError } from './errors/waybill-error.ts'
import { copyOutputs, outputFolderOf } from './ledger/outputs.ts'
import { type CopyReport, copyStore } from './store/copy-store.ts'
import { openStore } from './store/open-store.ts'
import type { ProgressOptions } from './store/progress.ts'
import type { Store } from './store/store.ts'
import type { Disk } from './world/disk.ts'
import { realWorld, type World } from './world/world.ts'

export type { CopyReport }

export interface CopyOptions extends ProgressOptions {
  readonly world?: Partial<World> | undefined
  /** Where outputs go that are in files; beside the copy unless told, where that is a folder or a file. */
  readonly outputFolder?: string | undefined
}

/**
 * Copies a ledger to another place or engine: ids, history and their order stay. Nobody may write to either meanwhile.
 * A copy that was cut off is gone on with when it is asked for again.
 */
export async function copyLedger(from: string, to: string, options: CopyOptions = {}): Promise<CopyReport> {
  if (from === to || resolve(from) === resolve(to)) {
    throw new InvalidInput('to', 'A ledger cannot be copied onto itself', 'Give another folder or URL.')
  }
  const world = { ...realWorld, ...options.world }
  const source = await openStore(from, world, { create: false })
  try {
    await mustBeSound(source)
    const target = await openStore(to, world)
    try {
      // Files first: whatever a step that was copied refers to is there.
      await copyFiles(
        world.disk,
        outputFolderOf(from, source),
        options.outputFolder ?? outputFolderOf(to, target),
      )
      return await copyStore(source, target, options)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** A step that says its output is in a file must find it there. */
async function copyFiles(disk: Disk, from: string | null, to: string | null): Promise<void> {
  if (from === null) return
  if (to !== null) return copyOutputs(disk, from, to)
  if ((await disk.list(from)).length === 0) return
  const next =
    'Say where they go (outputFolder, or --outputs), and open the copy with that as its outputFolder.'
  throw new InvalidInput(
    'outputFolder',
    `Large outputs are in files in ${from}, and the copy has no place for files`,
    next,
  )
}

/** Half a ledger is not to be taken for a whole one. */
async function mustBeSound(source: Store): Promise<void> {
  const damage = (await source.stats()).storage?.damage ?? null
  if (damage === null) return
  throw new WaybillError({ code: 'LEDGER_DAMAGED', message: damage, next: 'Repair it first, then copy it.' })
}
