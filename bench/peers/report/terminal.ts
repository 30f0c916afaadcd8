import { tableOf } from '../../harness.ts'
import type { System } from '../catalogue.ts'
import type { Results } from '../results.ts'
import { type CheckedRow, checkTargets } from '../targets.ts'
import { COLUMNS, figure } from './figures.ts'

/** All figures: a line for each system, a column for each workload. */
export function figuresTable(systems: readonly System[], results: Results): string {
  const columns = COLUMNS.filter(({ workload, figure: name }) =>
    systems.some((system) => results.median(system.name, workload, name) !== null),
  )
  const cells = systems.map(({ name, title }) => [
    title,
    ...columns.map((column) => {
      const value = results.median(name, column.workload, column.figure)
      return value === null ? '–' : figure(value)
    }),
  ])
  const table = [
    ['', ...columns.map(({ heading }) => heading)],
    ['', ...columns.map(({ unit }) => unit)],
    ...cells,
  ]
  const widths = (table[0] ?? []).map((_, nth) => Math.max(...table.map((row) => (row[nth] ?? '').length)))
  return table
    .map((row) =>
      row
        .map((cell, nth) => (nth === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[nth] ?? 0)))
        .join('  '),
    )
    .join('\n')
}

/** Every target of which both sides were measured. */
export function targetsTable(results: Results): string {
  const rows = checkTargets(results)
  const names = [...new Set(rows.map(({ workload }) => workload))]
  const headingOf = (row: CheckedRow['workload']) =>
    COLUMNS.find(({ workload }) => workload === row)?.heading.replace(/ p\d+$/, ' latency') ?? row
  return tableOf(
    names.map((name) => ({ name: headingOf(name), rows: rows.filter(({ workload }) => workload === name) })),
  )
}

/** What is missing from the table, and why. */
export function leftOutLines(systems: readonly System[], results: Results): readonly string[] {
  const workloads = [...new Set(COLUMNS.map(({ workload }) => workload))]
  return systems.flatMap(({ name, title, leftOut, packages }) => {
    const reasons = workloads.flatMap((workload) => {
      const error = results.error(name, workload)
      if (error !== null) return [`  ${title}, ${workload}: FAILED, ${error}`]
      const why = leftOut[workload]
      return why === undefined || packages.length === 0 ? [] : [`  ${title}, ${workload}: ${why}`]
    })
    return reasons
  })
}
