import type { Disk } from '../../src/world/disk.ts'

type Verb = 'open' | 'remove' | 'openToRead' | 'read' | 'list'

/**
 * A disk on which one verb waits, for the paths that are meant, until the gate is opened: so that a test can do something
 * at just that moment. Once only; whoever comes after passes.
 */
export class GatedDisk {
  readonly disk: Disk
  readonly #reached = Promise.withResolvers<void>()
  readonly #gate = Promise.withResolvers<void>()
  #isShut = true

  constructor(disk: Disk, verb: Verb, isMeant: (path: string) => boolean, isShut = true) {
    this.#isShut = isShut
    const wait = async (by: Verb, path: string) => {
      if (by !== verb || !this.#isShut || !isMeant(path)) return
      this.#isShut = false
      this.#reached.resolve()
      await this.#gate.promise
    }
    this.disk = {
      open: async (path) => wait('open', path).then(() => disk.open(path)),
      remove: async (path) => wait('remove', path).then(() => disk.remove(path)),
      openToRead: async (path) => {
        await wait('openToRead', path)
        const file = await disk.openToRead(path)
        return (
          file && {
            size: () => file.size(),
            close: () => file.close(),
            read: (position, length) => wait('read', path).then(() => file.read(position, length)),
          }
        )
      },
      list: async (folder) => wait('list', folder).then(() => disk.list(folder)),
      makeFolder: (folder) => disk.makeFolder(folder),
      rename: (from, to) => disk.rename(from, to),
      syncFolder: (folder) => disk.syncFolder(folder),
      lock: (path) => disk.lock(path),
    }
  }

  /** From now on the next one waits. */
  shut(): void {
    this.#isShut = true
  }

  /** Somebody waits at the gate. */
  get reached(): Promise<void> {
    return this.#reached.promise
  }

  open(): void {
    this.#gate.resolve()
  }
}
