import type { DeltaLog } from './delta/delta-log.ts'
import { AUDIT_FOLDER } from './file-names.ts'
import type { JournalPlace } from './load-journal.ts'
import type { SegmentLink } from './segments/layout.ts'
import { Sealing } from './segments/seal-segment.ts'

/** Turns deltas into segments: those that somebody reads anyway, while they are read. */
export class DeltaSealer implements AsyncDisposable {
  readonly #place: JournalPlace
  readonly #audit: string
  /** By the path of the delta. */
  readonly #begun = new Map<string, Sealing>()

  private constructor(place: JournalPlace) {
    this.#place = place
    this.#audit = `${place.folder}/${AUDIT_FOLDER}`
  }

  static async on(place: JournalPlace): Promise<DeltaSealer> {
    const sealer = new DeltaSealer(place)
    await place.disk.makeFolder(sealer.#audit)
    await place.disk.syncFolder(place.folder)
    return sealer
  }

  /** From now on its lines come, from the first on. Whatever came of it before does not count. */
  async begin(path: string, firstSeq: number): Promise<Sealing> {
    await this.#begun.get(path)?.discard()
    const sealing = await Sealing.begin(this.#place.disk, { folder: this.#audit, firstSeq })
    this.#begun.set(path, sealing)
    return sealing
  }

  /** Oldest first, each after the one before it. After that the deltas can go. */
  async seal(deltas: readonly DeltaLog[], newest: SegmentLink | null): Promise<void> {
    let previous = newest
    for (const delta of deltas) {
      if (delta.lastSeq < delta.firstSeq) continue
      const sealing = this.#begun.get(delta.path) ?? (await this.#read(delta))
      this.#begun.delete(delta.path)
      previous = await sealing.finish(delta.lastSeq, previous)
    }
  }

  /** What was not finished goes. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const sealing of this.#begun.values()) await sealing.discard()
  }

  /** The snapshot before has it already, and so nobody read it. */
  async #read(delta: DeltaLog): Promise<Sealing> {
    const sealing = await this.begin(delta.path, delta.firstSeq)
    for await (const { lines } of delta.batches()) {
      for (const line of lines) {
        const room = sealing.add(line)
        if (room !== null) await room
      }
    }
    return sealing
  }
}
