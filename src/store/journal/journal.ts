import { dirname } from 'node:path'
import { NotALedger } from '../../errors/file-errors.ts'
import type { World } from '../../world/world.ts'
import { oldestOpenJob } from '../oldest-open-job.ts'
import { AUDIT_FOLDER, listFiles } from './file-names.ts'
import { lockJournal } from './journal-lock.ts'
import {
  type CheckedOptions,
  type CreateOption,
  checkOptions,
  type JournalOptions,
} from './journal-options.ts'
import { JournalReader } from './journal-reader.ts'
import { JournalStore } from './journal-store.ts'
import { JournalWriter } from './journal-writer.ts'
import { type JournalPlace, loadJournal } from './load-journal.ts'
import { mustBeThere } from './must-be-there.ts'
import { OpenJournal } from './open-journal.ts'
import { removeSpentDeltas } from './spent-deltas.ts'

/**
 * Opens a ledger in a folder, which is made when there is none. One process at a time may write; others may open it
 * with `readOnly` beside it. A ledger that is damaged opens for reading only, up to the damage.
 */
export async function openJournal(
  folder: string,
  world: World,
  options: JournalOptions & CreateOption = {},
): Promise<JournalStore> {
  const { disk, timers, logger } = world
  const place: JournalPlace = { disk, folder, timers, logger }
  const checked = checkOptions(options)
  try {
    if (!checked.create) await mustBeThere(place)
    return await (checked.readOnly ? openToRead(place, world) : openToWrite(place, world, checked))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR' || code === 'EEXIST') throw NotALedger.file(folder, error)
    throw error
  }
}

async function openToRead(place: JournalPlace, world: World): Promise<JournalStore> {
  const store = new JournalStore(true, world.clock)
  return store.begin({ reader: await JournalReader.open(place, () => store.watchers.wake()) })
}

async function openToWrite(
  place: JournalPlace,
  world: World,
  options: CheckedOptions,
): Promise<JournalStore> {
  const { disk, folder } = place
  await disk.makeFolder(folder)
  const lock = await lockJournal(disk, folder, { pid: process.pid, server: options.server })
  try {
    // What the files say can be read while their names are made to last. Nothing is built on them before they do.
    const lasting = Promise.all([syncNames(place), lock.told])
    lasting.catch(() => {})
    const loaded = await loadJournal(place)
    await lasting
    if (loaded.damage === null) {
      const [journal] = await Promise.all([OpenJournal.of(place, loaded), tidyUp(place)])
      const store = new JournalStore(false, world.clock)
      const wake = () => store.watchers.wake()
      const oldestOpen = () => oldestOpenJob(store)
      const writer = await JournalWriter.open({ journal, world, options, lock, wake, oldestOpen }, loaded)
      return store.begin({ journal, writer })
    }
    const { message, next } = loaded.damage
    world.warn(`${message}. ${next}`, 'WAYBILL_LEDGER_DAMAGED', 'Warning')
    await loaded.image.retire()
  } catch (error) {
    await lock.release()
    throw error
  }
  // Nothing is touched, and whoever repairs it has to be able to lock it.
  await lock.release()
  return openToRead(place, world)
}

/** A process that was killed may have left names that the disk does not have yet; what is built on them must not go. */
async function syncNames({ disk, folder }: JournalPlace): Promise<void> {
  const audit = `${folder}/${AUDIT_FOLDER}`
  const inside = async () => {
    if ((await disk.list(folder)).includes(AUDIT_FOLDER)) await disk.syncFolder(audit)
  }
  await Promise.all([disk.syncFolder(dirname(folder)), disk.syncFolder(folder), inside()])
}

/** Removes what a crash left that is not needed: files that were not finished, and deltas that were sealed already. */
async function tidyUp(place: JournalPlace): Promise<void> {
  const { unfinished } = await listFiles(place.disk, place.folder)
  for (const path of unfinished) await place.disk.remove(path)
  await removeSpentDeltas(place)
}
