import { fitColumns, GAP } from './fit-columns.ts'
import { safeText } from './safe-text.ts'
import type { Style, TextStream } from './text-stream.ts'
import { cutTo, padTo, widthOf } from './text-width.ts'

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string | number | null
  readonly style?: (row: Row) => Style | undefined
  readonly align?: 'right'
  /** Narrowest on a terminal that has little room; 6 unless told. */
  readonly least?: number
  /** 0 unless told. What is worth least is left out first where there is little room; `NEEDED` never is. */
  readonly worth?: number
}

interface StyledText {
  readonly text: string
  readonly style: Style | undefined
}

interface Shown<Row> {
  readonly column: Column<Row>
  readonly width: number
}

/** For columns without which the rest makes no sense. */
export const NEEDED = Number.POSITIVE_INFINITY

const LEAST = 6
const NOTHING = '-'

/** A column that has nothing to say goes before all others. */
const EMPTY_WORTH = -1

/**
 * A table that is written as its rows come: the first ones say how wide the columns are. On a terminal every row is
 * one line; anywhere else nothing is cut.
 */
export class Table<Row> {
  readonly #out: TextStream
  readonly #columns: readonly Column<Row>[]
  #shown: readonly Shown<Row>[] | null = null
  /** Columns for which there is no room, and which of them would have had something to say. */
  #hidden: readonly Column<Row>[] = []
  readonly #missed = new Set<Column<Row>>()

  constructor(out: TextStream, columns: readonly Column<Row>[]) {
    this.#out = out
    this.#columns = columns
  }

  /** Titles of columns that say something and for which the terminal has no room. */
  get leftOut(): readonly string[] {
    return this.#hidden.filter((column) => this.#missed.has(column)).map(({ title }) => title)
  }

  async write(rows: readonly Row[]): Promise<void> {
    const lines: string[] = []
    if (this.#shown === null) {
      this.#shown = this.#layOut(rows)
      lines.push(this.#line(({ title }) => ({ text: title, style: 'dim' })))
    }
    for (const row of rows) {
      lines.push(this.#line((column) => styledCell(column, row)))
      for (const column of this.#hidden) if (cell(column, row) !== NOTHING) this.#missed.add(column)
    }
    await this.#out.write(lines.map((line) => `${line}\n`).join(''))
  }

  #layOut(rows: readonly Row[]): readonly Shown<Row>[] {
    const widths = this.#columns.map((column) => {
      const natural = rows.reduce(
        (most, row) => Math.max(most, widthOf(cell(column, row))),
        widthOf(column.title),
      )
      const least = Math.min(natural, column.least ?? LEAST)
      return { natural, least, worth: isEmpty(column, rows) ? EMPTY_WORTH : (column.worth ?? 0) }
    })
    const fitted = fitColumns(widths, this.#out.columns)
    this.#hidden = this.#columns.filter((_, i) => fitted[i] === null)
    return this.#columns.flatMap((column, i) => {
      const width = fitted[i]
      return width == null ? [] : { column, width }
    })
  }

  #line(cellOf: (column: Column<Row>) => StyledText): string {
    const shown = this.#shown ?? []
    return shown
      .map(({ column, width }, i) => {
        const { text, style } = cellOf(column)
        const cut = this.#out.isTerminal ? cutTo(text, width) : text
        const align = column.align ?? 'left'
        const isLast = i === shown.length - 1
        // Colours go around the text and not around the space after it, which would be underlined with it.
        const padding = padTo(cut, isLast && align === 'left' ? 0 : width, align)
        return padding.replace(cut, () => this.#out.paint(style, cut))
      })
      .join(' '.repeat(GAP))
  }
}

function isEmpty<Row>(column: Column<Row>, rows: readonly Row[]): boolean {
  return column.worth !== NEEDED && rows.every((row) => cell(column, row) === NOTHING)
}

function styledCell<Row>(column: Column<Row>, row: Row): StyledText {
  const text = cell(column, row)
  return { text, style: text === NOTHING ? 'dim' : column.style?.(row) }
}

function cell<Row>(column: Column<Row>, row: Row): string {
  const value = column.value(row)
  if (value === null || value === '') return NOTHING
  return typeof value === 'number' ? value.toLocaleString('en') : safeText(value)
}
