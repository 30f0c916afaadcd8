import { resolve } from 'node:path'
import { InvalidInput } from './errors/input-errors.ts'
import { WaybillError } from './errors/waybill-error.ts'
import { copyOutputs, outputFolderOf } from './ledger/outputs.ts'
import { type CopyReport, copyStore } from './store/copy-store.ts'
import { openStore } from './store/open-store.ts'
import type { ProgressOptions } from './store/progress.ts'
import type { Store } from './store/store.ts'
import { realWorld, type World } from './world/world.ts'

export type { CopyReport }

/**
 * Copies a ledger to another place or engine: ids, history and their order stay. Nobody may write to either meanwhile.
 * A copy that was cut off is gone on with when it is asked for again.
 */
export async function copyLedger(
  from: string,
  to: string,
  options: ProgressOptions & { readonly world?: Partial<World> } = {},
): Promise<CopyReport> {
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
      const folders = [outputFolderOf(from, source), outputFolderOf(to, target)] as const
      if (folders[0] !== null && folders[1] !== null) await copyOutputs(world.disk, folders[0], folders[1])
      return await copyStore(source, target, options)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** Half a ledger is not to be taken for a whole one. */
async function mustBeSound(source: Store): Promise<void> {
  const damage = (await source.stats()).storage?.damage ?? null
  if (damage === null) return
  throw new WaybillError({ code: 'LEDGER_DAMAGED', message: damage, next: 'Repair it first, then copy it.' })
}
