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
  /** Stays however little room there is; others are left out, the last ones first. */
  readonly needed?: true
}

interface Shown<Row> {
  readonly column: Column<Row>
  readonly width: number
}

const LEAST = 6
const NOTHING = '-'

/**
 * A table that is written as its rows come: the first ones say how wide the columns are. On a terminal every row is
 * one line; anywhere else nothing is cut.
 */
export class Table<Row> {
  readonly #out: TextStream
  readonly #columns: readonly Column<Row>[]
  #shown: readonly Shown<Row>[] | null = null

  constructor(out: TextStream, columns: readonly Column<Row>[]) {
    this.#out = out
    this.#columns = columns
  }

  /** Titles of columns for which the terminal has no room. */
  get leftOut(): readonly string[] {
    const shown = this.#shown?.map(({ column }) => column)
    return shown === undefined
      ? []
      : this.#columns.filter((column) => !shown.includes(column)).map(({ title }) => title)
  }

  async write(rows: readonly Row[]): Promise<void> {
    const lines: string[] = []
    if (this.#shown === null) {
      this.#shown = this.#layOut(rows)
      lines.push(this.#line(({ title }) => ({ text: title, style: 'dim' })))
    }
    for (const row of rows) {
      lines.push(this.#line((column) => ({ text: cell(column, row), style: column.style?.(row) })))
    }
    await this.#out.write(lines.map((line) => `${line}\n`).join(''))
  }

  #layOut(rows: readonly Row[]): readonly Shown<Row>[] {
    const widths = this.#columns.map((column) => {
      const natural = rows.reduce(
        (most, row) => Math.max(most, widthOf(cell(column, row))),
        widthOf(column.title),
      )
      return { natural, least: Math.min(natural, column.least ?? LEAST), needed: column.needed ?? false }
    })
    const fitted = fitColumns(widths, this.#out.columns)
    return this.#columns.flatMap((column, i) => {
      const width = fitted[i]
      return width == null ? [] : { column, width }
    })
  }

  #line(cellOf: (column: Column<Row>) => { text: string; style: Style | undefined }): string {
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

function cell<Row>(column: Column<Row>, row: Row): string {
  const value = column.value(row)
  if (value === null || value === '') return NOTHING
  return typeof value === 'number' ? value.toLocaleString('en') : safeText(value)
}
