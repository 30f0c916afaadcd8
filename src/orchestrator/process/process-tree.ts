import type { ProcessRow, StartedProcess } from '../../world/processes.ts'

/**
 * Everything that a process has started, directly or not. A child may leave its group (`set -m`), its session (setsid) and
 * its parent (by a fork in between), but it takes its environment along; one that was given another environment still has
 * its session or its parent. Who was found once is known from then on, whatever becomes of its parent. Only who had given
 * up all three at once before anybody looked is not found.
 */
export class ProcessTree {
  readonly #root: Pick<StartedProcess, 'pid' | 'mark'>
  readonly #known = new Map<number, number>()

  constructor(root: Pick<StartedProcess, 'pid' | 'mark'>) {
    this.#root = root
  }

  /** Those of the processes alive that belong to it. */
  among(rows: readonly ProcessRow[]): readonly ProcessRow[] {
    const { pid, mark } = this.#root
    const found = withDescendants(
      rows,
      (row) =>
        row.session === pid || row.group === pid || row.has(mark) || this.#known.get(row.pid) === row.since,
    )
    for (const row of found) this.#known.set(row.pid, row.since)
    return found
  }
}

/** Those, and all that have one of them for a parent, or a parent's parent. */
export function withDescendants(
  rows: readonly ProcessRow[],
  belongs: (row: ProcessRow) => boolean,
): ProcessRow[] {
  const found = new Map(rows.filter(belongs).map((row) => [row.pid, row]))
  // Once for every generation at most.
  for (let size = -1; size !== found.size; ) {
    size = found.size
    for (const row of rows) if (found.has(row.parent)) found.set(row.pid, row)
  }
  return [...found.values()]
}
