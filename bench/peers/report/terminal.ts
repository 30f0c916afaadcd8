import { tableOf } from '../../harness.ts'
import { COLUMNS, headingOf, written } from './figures.ts'
import { figureOf, isLimit, type Report } from './report.ts'

/** What is measured, in which version and how it is set up. */
export function systemLines({ systems }: Report): string {
  return systems
    .flatMap(({ title, versions, settings, durable, history }) => [
      [title, ...versions].join(', '),
      `    ${settings}`,
      `    when the submit returns: ${durable}; of a finished job it keeps: ${history}`,
    ])
    .join('\n')
}

/** All figures: a line for each system, a column for each workload. */
export function figuresTable({ systems }: Report): string {
  const columns = COLUMNS.filter(({ workload, figure }) =>
    systems.some((system) => figureOf(system, workload, figure) !== null),
  )
  const cells = systems.map((system) => [
    system.title,
    ...columns.map((column) => {
      const figure = figureOf(system, column.workload, column.figure)
      return figure === null ? '–' : written(figure.median)
    }),
  ])
  const headings = [
    ['', ...columns.map(({ heading }) => heading)],
    ['', ...columns.map(({ unit }) => unit)],
  ]
  const table = [...headings, ...cells]
  const widths = table[0]?.map((_, nth) => Math.max(...table.map((row) => (row[nth] ?? '').length))) ?? []
  const padded = (cell: string, nth: number) =>
    nth === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[nth] ?? 0)
  return table.map((row) => row.map(padded).join('  ')).join('\n')
}

/** Every target of which both sides were measured. */
export function targetsTable({ targets, quick }: Report): string {
  const names = [...new Set(targets.map(({ workload }) => workload))]
  const table = tableOf(
    names.map((name) => ({
      name: headingOf(name),
      rows: targets.filter(({ workload }) => workload === name),
    })),
  )
  const met = targets.filter((target) => target.met === true).length
  return `${table}\n\n${met} of ${targets.length} targets met${quick ? ' (quick: not the real sizes)' : ''}`
}

/** What is missing from the table, and why. */
export function missingLines({ systems }: Report): readonly string[] {
  return systems
    .filter((system) => !isLimit(system))
    .flatMap(({ title, missing }) =>
      missing.map(
        ({ workload, why, failed }) => `  ${title}, ${workload}: ${failed ? 'FAILED, ' : ''}${why}`,
      ),
    )
}
