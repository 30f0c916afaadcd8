import { dirname } from 'node:path'
import type { Random } from '../../world/random.ts'
import { coin, rollLuck } from './luck.ts'
import type { Moment } from './moment.ts'

/** In the place of a file's number. */
export const FOLDER = 0

/** Which file, by its number, has which name; or that it is a folder. */
type Names = Map<string, number>

type NameChange = { readonly n: number; certain: boolean } & (
  | { readonly kind: 'link'; readonly path: string; readonly id: number }
  | { readonly kind: 'unlink'; readonly path: string }
  | { readonly kind: 'rename'; readonly path: string; readonly from: string; readonly id: number }
)

/**
 * The names on a disk, as programs see them and as the disk has them, and the changes between, in the order in which they
 * were made. `path` is the name whose folder has to be synced for the change to be durable.
 */
export class StoredNames {
  #current: Names = new Map([
    ['/', FOLDER],
    ['.', FOLDER],
  ])
  #durable: Names = new Map(this.#current)
  #changes: NameChange[] = []

  get current(): ReadonlyMap<string, number> {
    return this.#current
  }

  /** With the same names, and the same still to be written. */
  copy(): StoredNames {
    const copy = new StoredNames()
    copy.#current = new Map(this.#current)
    copy.#durable = new Map(this.#durable)
    copy.#changes = this.#changes.map((change) => ({ ...change, n: 0 }))
    return copy
  }

  link(path: string, id: number, { n }: Moment): void {
    this.#make({ kind: 'link', path, id, n, certain: false })
  }

  unlink(path: string, { n }: Moment): void {
    this.#make({ kind: 'unlink', path, n, certain: false })
  }

  rename(from: string, path: string, { n }: Moment): void {
    const id = this.#current.get(from)
    if (id !== undefined) this.#make({ kind: 'rename', path, from, id, n, certain: false })
  }

  /** The disk has what was done in this folder, and heard of, before then. */
  confirmSync(folder: string, { heardOf }: Moment): void {
    for (const change of this.#changes)
      if (change.n <= heardOf && dirname(change.path) === folder) change.certain = true
    const open = this.#changes.findIndex(({ certain }) => !certain)
    const settled = this.#changes.splice(0, open === -1 ? this.#changes.length : open)
    for (const change of settled) apply(change, this.#durable)
  }

  /** The names that are there when the power comes back, all of them durable. */
  surviving(random: Random): StoredNames {
    const found = new Map(this.#durable)
    for (const change of survivingChanges(this.#changes, random)) apply(change, found)
    const names = new StoredNames()
    names.#current = new Map([...found].filter(([path]) => isReachable(path, found)))
    names.#durable = new Map(names.#current)
    return names
  }

  #make(change: NameChange): void {
    this.#changes.push(change)
    apply(change, this.#current)
  }
}

function apply(change: NameChange, names: Names): void {
  if (change.kind === 'rename') names.delete(change.from)
  if (change.kind === 'unlink') names.delete(change.path)
  else names.set(change.path, change.id)
}

/**
 * Changes to different names come through in any order; one to a name only after those made to it before. Backwards, so
 * that a change that came through brings along those that it builds on.
 */
function survivingChanges(changes: readonly NameChange[], random: Random): NameChange[] {
  const luck = rollLuck(random)
  const builtOn = new Set<string>()
  const survived = changes.toReversed().filter((change) => {
    const touched = change.kind === 'rename' ? [change.path, change.from] : [change.path]
    const survives =
      change.certain ||
      luck === 'everything' ||
      touched.some((path) => builtOn.has(path)) ||
      (luck === 'some' && coin(random))
    if (survives) for (const path of touched) builtOn.add(path)
    return survives
  })
  return survived.reverse()
}

/** What is in a folder that did not come through is gone with it. */
function isReachable(path: string, names: Names): boolean {
  const folder = dirname(path)
  return names.has(path) && (folder === path || isReachable(folder, names))
}
