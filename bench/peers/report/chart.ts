// The chart of the README: four workloads, a bar for each system, on a scale of powers of ten. Its colours follow the
// reader's; nothing is drawn behind it.
import { COLUMNS, type Column, written } from './figures.ts'
import { figureOf, isLimit, type Report, type ReportedSystem } from './report.ts'

/** What the README shows; the page has all. */
const SHOWN: readonly Column['workload'][] = ['crowd', 'drain', 'both', 'steps']
/** The better known setting of those that are measured twice. */
const HIDDEN: readonly string[] = ['plainjob-default', 'graphile-default', 'openworkflow-sqlite']

const TITLES: { readonly [workload in Column['workload']]?: string } = {
  crowd: 'Submitted by 100 callers at once',
  drain: 'Done, submitted beforehand',
  both: 'Submitted and done at the same time',
  steps: 'Jobs of three durable steps',
}

const WIDTH = 940
const PANEL = { width: 450, gap: 40, head: 34, foot: 26 }
const BAR = { height: 14, step: 20 }
const LABEL = 176
const VALUE = 66

const STYLE = `
text { font: 12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; fill: #3d444d }
.title { font-size: 14px; font-weight: 600; fill: #1f2328 }
.own { font-weight: 600; fill: #0a58ca }
.tick { font-size: 11px; fill: #59636e }
.grid { stroke: #d1d9e0; stroke-width: 1 }
.bar { fill: #9aa4af }
.bar.own { fill: #1f6feb }
@media (prefers-color-scheme: dark) {
  text { fill: #c7d0d9 }
  .title { fill: #f0f6fc }
  .own { fill: #79b8ff }
  .tick { fill: #9198a1 }
  .grid { stroke: #3d444d }
  .bar { fill: #656e79 }
  .bar.own { fill: #388bfd }
}`

interface Bar {
  readonly title: string
  readonly value: number
  readonly isOwn: boolean
}

export function peersChart(report: Report): string {
  const panels = SHOWN.map((workload) => ({ workload, bars: barsOf(report.systems, workload) }))
  const rows = [panels.slice(0, 2), panels.slice(2)]
  let top = 0
  const drawn = rows.flatMap((row) => {
    const height = Math.max(...row.map(({ bars }) => PANEL.head + bars.length * BAR.step + PANEL.foot))
    const parts = row.map(({ workload, bars }, nth) =>
      panel(TITLES[workload] ?? workload, bars, nth * (PANEL.width + PANEL.gap), top),
    )
    top += height + 14
    return parts
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top + 32}" role="img" aria-label="${spoken(panels)}">
<style>${STYLE}
</style>
${drawn.join('\n')}
<text class="tick" x="0" y="${top + 10}">Jobs per second, each scale in powers of ten. “everysec” answers before a job is on the disk; all others here after that.</text>
<text class="tick" x="0" y="${top + 26}">Waybill keeps every change in its audit log. What the others keep, and how all this was measured: docs/benchmarks.md</text>
</svg>
`
}

function barsOf(systems: readonly ReportedSystem[], workload: Column['workload']): readonly Bar[] {
  const column = COLUMNS.find((one) => one.workload === workload)
  return systems
    .filter((system) => !isLimit(system) && !HIDDEN.includes(system.name))
    .flatMap((system) => {
      const figure = figureOf(system, workload, column?.figure ?? '')
      const isOwn = system.name.startsWith('waybill')
      return figure === null ? [] : [{ title: system.title, value: figure.median, isOwn }]
    })
    .toSorted((one, other) => other.value - one.value)
}

function panel(title: string, bars: readonly Bar[], left: number, top: number): string {
  const values = bars.map(({ value }) => value)
  const least = Math.floor(Math.log10(Math.min(...values) * 0.7))
  const most = Math.log10(Math.max(...values))
  const room = PANEL.width - LABEL - VALUE
  const x = (value: number) => left + LABEL + (room * (Math.log10(value) - least)) / (most - least)
  const bottom = top + PANEL.head + bars.length * BAR.step
  const powers = Array.from({ length: Math.floor(most) - least + 1 }, (_, nth) => 10 ** (least + nth))
  const grid = powers.map((value) => {
    const at = x(value).toFixed(1)
    return `<line class="grid" x1="${at}" x2="${at}" y1="${top + PANEL.head - 6}" y2="${bottom}"/><text class="tick" x="${at}" y="${bottom + 14}" text-anchor="middle">${value.toLocaleString('en')}</text>`
  })
  const drawn = bars.map(({ title: name, value, isOwn }, nth) => {
    const y = top + PANEL.head + nth * BAR.step
    const own = isOwn ? ' own' : ''
    const end = x(value)
    return [
      `<text class="${own.trim()}" x="${left + LABEL - 8}" y="${y + 11}" text-anchor="end">${name}</text>`,
      `<rect class="bar${own}" x="${left + LABEL}" y="${y}" width="${(end - left - LABEL).toFixed(1)}" height="${BAR.height}" rx="2"/>`,
      `<text class="${own.trim()}" x="${(end + 6).toFixed(1)}" y="${y + 11}">${written(value)}</text>`,
    ].join('')
  })
  return [`<text class="title" x="${left}" y="${top + 16}">${title}</text>`, ...grid, ...drawn].join('\n')
}

/** For those who do not see it. */
function spoken(
  panels: readonly { readonly workload: Column['workload']; readonly bars: readonly Bar[] }[],
): string {
  return panels
    .map(({ workload, bars }) => {
      const list = bars.map(({ title, value }) => `${title} ${written(value)}`).join(', ')
      return `${TITLES[workload]}, jobs per second: ${list}.`
    })
    .join(' ')
}
