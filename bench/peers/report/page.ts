// What docs/benchmarks.md says of a run, between its markers.
import { replaceRegion } from '../../../scripts/diagrams/region.ts'
import { COLUMNS, type Column, headingOf, written } from './figures.ts'
import { figureOf, isLimit, type Report, type ReportedSystem, type ReportedTarget } from './report.ts'

export function benchmarksPage(page: string, report: Report): string {
  return replaceRegion(page, 'figures', region(report))
}

function region(report: Report): string {
  const { systems, targets } = report
  const measured = systems.filter(({ figures }) => figures.length > 0)
  const queues = measured.filter((system) => !isLimit(system))
  const perSecond = COLUMNS.filter(({ unit }) => unit === 'jobs/s')
  const ms = COLUMNS.filter(({ unit }) => unit === 'ms')
  return [
    aboutRun(report),
    '![Jobs per second of Waybill and other systems](images/peers.svg)',
    '### Jobs per second',
    'The median of the rounds; below it, the least and the most.',
    figuresTable(queues, perSecond),
    '### Milliseconds',
    `W5 with ${report.history_jobs.toLocaleString('en')} finished jobs.`,
    figuresTable(queues, ms),
    '### The limits of this machine',
    figuresTable(measured.filter(isLimit), perSecond.slice(0, 1)),
    '### Held against the targets',
    targetsTable(targets),
    '### What was measured',
    aboutTable(queues),
    '### What was not measured',
    ...missingList(systems),
  ].join('\n\n')
}

function aboutRun({ created_at, cpu, cpus, node, rounds, seconds, load, quick }: Report): string {
  const minutes = Math.round(seconds / 60)
  return `Measured on ${created_at.slice(0, 10)}: ${cpus} CPUs (${cpu ?? 'unknown'}), Node ${node}, ${rounds} rounds in ${minutes} minutes, load ${load.toFixed(1)} at the end${quick ? ', with `--quick`: not the real sizes' : ''}.`
}

function figuresTable(systems: readonly ReportedSystem[], columns: readonly Column[]): string {
  const rows = systems.map((system) => [
    system.title,
    ...columns.map(({ workload, figure }) => {
      const found = figureOf(system, workload, figure)
      if (found === null) return '–'
      const { rounds } = found
      return `${written(found.median)}<br><sub>${written(Math.min(...rounds))}–${written(Math.max(...rounds))}</sub>`
    }),
  ])
  return table(['', ...columns.map(({ heading }) => heading)], rows, 1)
}

function targetsTable(targets: readonly ReportedTarget[]): string {
  const rows = targets.map(({ workload, what, target, unit, value, spread, met }) => [
    headingOf(workload),
    what,
    target === null ? '' : 'atMost' in target ? `≤ ${target.atMost} ${unit}` : `≥ ${target.atLeast} ${unit}`,
    `${written(value)} ${unit}`,
    spread === null ? '' : `${written(spread[0])}–${written(spread[1])}`,
    met === null ? '' : met ? 'yes' : 'no',
  ])
  return table(['Workload', 'What', 'Target', 'Measured', 'Spread', 'Met'], rows, 2)
}

function aboutTable(systems: readonly ReportedSystem[]): string {
  const rows = systems.map(({ title, versions, settings, durable, history }) => [
    title,
    versions.join(', '),
    settings,
    durable,
    history,
  ])
  const headings = [
    '',
    'Versions',
    'Settings',
    'When the submit returns, the job is',
    'Kept of a finished job',
  ]
  return table(headings, rows, headings.length)
}

function missingList(systems: readonly ReportedSystem[]): readonly string[] {
  const items = systems
    .filter((system) => !isLimit(system))
    .flatMap(({ title, missing }) =>
      missing.map(({ workload, why, failed }) => {
        const [reason] = why.split('\n')
        return `- ${title}, ${headingOf(workload)}: ${failed ? 'failed: ' : ''}${reason}`
      }),
    )
  return items.length === 0 ? ['Nothing.'] : [items.join('\n')]
}

/** Columns from that one on hold numbers. */
function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  numbersFrom: number,
): string {
  const rule = headings.map((_, nth) => (nth >= numbersFrom ? '---:' : '---'))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [headings, rule, ...rows].map(line).join('\n')
}
