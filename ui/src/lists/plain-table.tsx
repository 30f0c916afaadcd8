// A table of a few rows, all of them in the document.
import styles from './plain-table.module.css'
import type { Column } from './record-table.tsx'

interface PlainTableProps<T> {
  readonly label: string
  readonly items: readonly T[]
  readonly columns: readonly Omit<Column<T>, 'width'>[]
  readonly keyOf: (item: T) => string
}

export function PlainTable<T>({ label, items, columns, keyOf }: PlainTableProps<T>) {
  return (
    <div className={styles.scroller} tabIndex={0} role="region" aria-label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map(({ title, isExtra }) => (
              <th key={title} scope="col" data-extra={isExtra}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)}>
              {columns.map(({ title, cell, isExtra }) => (
                <td key={title} data-extra={isExtra} data-title={title}>
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
