import type { Random } from '../../world/random.ts'
import { StoredFile } from './stored-file.ts'
import { FOLDER, StoredNames } from './stored-names.ts'
import { survivingBytes } from './surviving-bytes.ts'

/** Everything on a disk, as programs see it and as it would be found after a crash. */
export class DiskState {
  readonly names: StoredNames
  readonly #files: Map<number, StoredFile>
  #made: number

  constructor(names = new StoredNames(), files = new Map<number, StoredFile>(), made = FOLDER) {
    this.names = names
    this.#files = files
    this.#made = made
  }

  newId(): number {
    return ++this.#made
  }

  addFile(id: number, path: string): void {
    this.#files.set(id, new StoredFile(path))
  }

  file(id: number): StoredFile {
    const file = this.#files.get(id)
    if (file === undefined) throw new Error(`there is no file ${id}`)
    return file
  }

  *files(): Iterable<readonly [path: string, id: number, file: StoredFile]> {
    for (const [path, id] of this.names.current) if (id !== FOLDER) yield [path, id, this.file(id)]
  }

  copy(): DiskState {
    // All of them, also those without a name: what the disk has may still have one for them.
    const files = new Map([...this.#files].map(([id, file]) => [id, file.copy()]))
    return new DiskState(this.names.copy(), files, this.#made)
  }

  surviving(random: Random): DiskState {
    const names = this.names.surviving(random)
    const files = new Map<number, StoredFile>()
    for (const [path, id] of names.current)
      if (id !== FOLDER) files.set(id, StoredFile.of(path, survivingBytes(this.file(id), random)))
    return new DiskState(names, files, this.#made)
  }
}
