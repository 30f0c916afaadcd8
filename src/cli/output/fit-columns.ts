export interface ColumnWidth {
  /** What its widest cell needs. */
  readonly natural: number
  /** Narrower than this it says nothing. */
  readonly least: number
  /** Those with less go first when there is no room; those with Infinity stay, however narrow the terminal. */
  readonly worth: number
}

export const GAP = 2

/**
 * How wide each column may be so that a row fits into `width`: null for a column that has to go. Wide columns give
 * first; when that is not enough, those go that are worth least, the last one first.
 */
export function fitColumns(columns: readonly ColumnWidth[], width: number): readonly (number | null)[] {
  const shown = columns.map(() => true)
  for (;;) {
    const there = columns.filter((_, i) => shown[i])
    const room = width - GAP * (there.length - 1)
    const level = levelFor(there, room)
    if (level !== null) return columns.map((column, i) => (shown[i] ? widthAt(column, level) : null))
    const least = Math.min(...there.map(({ worth }) => worth))
    // Not even those fit that must be there: they are cut as far as they can be.
    if (least === Number.POSITIVE_INFINITY)
      return columns.map((column, i) => (shown[i] ? share(column, there.length, room) : null))
    shown[columns.findLastIndex(({ worth }, i) => shown[i] && worth === least)] = false
  }
}

/** The width that no column exceeds unless it must; null when there is none. */
function levelFor(columns: readonly ColumnWidth[], room: number): number | null {
  const used = (level: number) => columns.reduce((sum, column) => sum + widthAt(column, level), 0)
  if (used(0) > room) return null
  let level = Math.max(0, ...columns.map(({ natural }) => natural))
  while (used(level) > room) level--
  return level
}

function widthAt({ natural, least }: ColumnWidth, level: number): number {
  return Math.min(natural, Math.max(least, level))
}

function share({ natural }: ColumnWidth, columns: number, room: number): number {
  return Math.max(1, Math.min(natural, Math.floor(room / columns)))
}
