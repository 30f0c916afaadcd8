import type { ProcessRow, StartedProcess } from '../../world/processes.ts'

/**
 * Everything that a process has started, directly or not. A child may leave its group (`set -m`), its session (setsid) and
 * its parent (by a fork in between), but it takes its environment along; one that was given another environment still has
 * its session or its parent. Only who gives up all three at once is not found.
 */
export function treeOf(
  rows: readonly ProcessRow[],
  root: Pick<StartedProcess, 'pid' | 'mark'>,
): ProcessRow[] {
  const { pid, mark } = root
  return withDescendants(rows, (row) => row.session === pid || row.group === pid || row.has(mark))
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
