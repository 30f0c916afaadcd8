import type { Moment } from './moment.ts'
import { PagedBytes } from './paged-bytes.ts'

/** Something that was done to a file and that the disk may not have yet. */
export type FileChange = SizeChange | DataChange

interface SizeChange {
  readonly kind: 'size'
  readonly n: number
  readonly size: number
  certain: boolean
}

export interface DataChange {
  readonly kind: 'data'
  readonly n: number
  readonly position: number
  readonly bytes: Uint8Array
  /** The disk has it, though not yet what was done before it. */
  certain: boolean
  /** A sync failed over it. The system takes it for written from then on, so that no later sync will write it. */
  lost: boolean
}

/**
 * A file in two forms: as programs see it, and as the disk has it. What lies between is a list of changes, in the order in
 * which they were made. A write past the end is two changes, since size and data reach the disk separately.
 */
export class StoredFile {
  /** For messages: the name it has, or had last. */
  path: string
  #current = new PagedBytes()
  #durable = new PagedBytes()
  #changes: FileChange[] = []

  constructor(path: string) {
    this.path = path
  }

  /** A file of which the disk has everything. */
  static of(path: string, bytes: PagedBytes): StoredFile {
    const file = new StoredFile(path)
    file.#current = bytes
    file.#durable = bytes.copy()
    return file
  }

  get current(): PagedBytes {
    return this.#current
  }

  get durable(): PagedBytes {
    return this.#durable
  }

  get changes(): readonly FileChange[] {
    return this.#changes
  }

  /** Of the same content, and with the same still to be written. */
  copy(): StoredFile {
    const copy = new StoredFile(this.path)
    copy.#current = this.#current.copy()
    copy.#durable = this.#durable.copy()
    copy.#changes = this.#changes.map((change) => ({ ...change, n: 0 }))
    return copy
  }

  /** Keeps the bytes, not a copy of them. */
  write(position: number, bytes: Uint8Array, { n }: Moment): DataChange | null {
    if (bytes.length === 0) return null
    const end = position + bytes.length
    if (end > this.#current.size) this.#changes.push({ kind: 'size', n, size: end, certain: false })
    const change: DataChange = {
      kind: 'data',
      n,
      position,
      bytes,
      certain: false,
      lost: false,
    }
    this.#changes.push(change)
    this.#current.write(position, bytes)
    return change
  }

  /** The disk has what was written then. */
  confirmWrite({ n }: Moment): void {
    for (const change of this.#changes) {
      // The bytes could not be read back without the size, and sizes reach the disk in order. Other data need not.
      if (change.n === n || (change.kind === 'size' && change.n < n)) change.certain = true
    }
    this.#settle()
  }

  truncate(size: number, { n }: Moment): void {
    if (size === this.#current.size) return
    this.#changes.push({ kind: 'size', n, size, certain: false })
    this.#current.resize(size)
  }

  /** The disk has everything that was done, and heard of, before then. */
  confirmSync({ heardOf }: Moment): void {
    for (const change of this.#changes)
      if (change.n <= heardOf && !(change.kind === 'data' && change.lost)) change.certain = true
    this.#settle()
  }

  failSync(): void {
    for (const change of this.#changes) if (change.kind === 'data' && !change.certain) change.lost = true
  }

  /** What is certain moves over, up to the first change that is not. */
  #settle(): void {
    const open = this.#changes.findIndex(({ certain }) => !certain)
    for (const change of this.#changes.splice(0, open === -1 ? this.#changes.length : open)) {
      if (change.kind === 'size') this.#durable.resize(change.size)
      else this.#durable.write(change.position, change.bytes)
    }
  }
}
