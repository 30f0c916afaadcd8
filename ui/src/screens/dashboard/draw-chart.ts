// The only place that knows uPlot. It is loaded when there is something to draw.
import 'uplot/dist/uPlot.min.css'
import uPlot from 'uplot'
import type { Tone } from '../../../../src/core/machine.ts'
import { clock, type Zone } from '../../format/time.ts'
import type { ChartData } from './activity-series.ts'
import { tokenColors } from './token-colors.ts'

export interface Drawn {
  /** Lines hold for a whole step; bars are on top of each other. */
  readonly shape: 'lines' | 'bars'
  /** In the order of the data. */
  readonly tones: readonly Tone[]
  readonly data: ChartData
  /** Epoch seconds. */
  readonly from: number
  readonly until: number
  /** What the scale ends with. */
  readonly top: number
  /** Before then something may be missing. */
  readonly incompleteUntil: number | null
}

export interface Drawing {
  redraw(): void
  /** The place has another size. */
  resize(): void
  destroy(): void
}

interface Place {
  readonly element: HTMLElement
  readonly zone: Zone
  /** What is to be drawn now. */
  readonly current: () => Drawn
  /** Where the pointer is, in epoch seconds; null when it is elsewhere. */
  readonly onPoint: (moment: number | null) => void
}

const FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif'
const SYNC = 'activity'
const AXIS_LEFT = 40
const AXIS_BELOW = 24
const TICKS_APART = 64
const LINES_APART = 30
/** For spans up to this long seconds tell times apart. */
const SECONDS_SHOWN = 600
const WHOLE = [1, 2, 5]
  .flatMap((n) => [0, 1, 2, 3, 4, 5, 6].map((power) => n * 10 ** power))
  .sort((a, b) => a - b)

export function drawChart(place: Place): Drawing {
  const { element, current } = place
  const plot = new uPlot(optionsFor(place), dataOf(current()), element)
  return {
    redraw: () => plot.setData(dataOf(current())),
    resize: () => plot.setSize(sizeOf(element)),
    destroy: () => plot.destroy(),
  }
}

function sizeOf({ clientWidth: width, clientHeight: height }: HTMLElement) {
  return { width, height }
}

function dataOf({ data }: Drawn): uPlot.AlignedData {
  return data as unknown as uPlot.AlignedData
}

function optionsFor({ element, zone, current, onPoint }: Place): uPlot.Options {
  const { shape, tones } = current()
  const colors = tokenColors(element, ['muted', 'line', 'sunken', ...tones])
  const axis = { stroke: colors.muted, font: FONT, ticks: { show: false } }
  return {
    ...sizeOf(element),
    legend: { show: false },
    padding: [8, 8, 0, 0],
    tzDate: (seconds) => {
      const date = new Date(seconds * 1000)
      return zone === 'utc' ? uPlot.tzDate(date, 'Etc/UTC') : date
    },
    scales: {
      x: { range: () => [current().from, current().until] },
      y: { range: () => [0, current().top] },
    },
    axes: [
      {
        ...axis,
        size: AXIS_BELOW,
        space: TICKS_APART,
        grid: { show: false },
        values: (_, splits) => splits.map((split) => timeOf(split, current(), zone)),
      },
      {
        ...axis,
        size: AXIS_LEFT,
        space: LINES_APART,
        incrs: WHOLE,
        grid: { stroke: colors.line, width: 1 },
      },
    ],
    series: [{}, ...tones.map((tone) => seriesOf(shape, colors[tone]))],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: false, y: false },
      sync: { key: SYNC, setSeries: false },
    },
    hooks: {
      drawClear: [(plot) => shade(plot, current(), colors.sunken)],
      setCursor: [(plot) => onPoint(pointed(plot))],
    },
  }
}

function seriesOf(shape: Drawn['shape'], color: string): uPlot.Series {
  const common = { stroke: color, points: { show: false } }
  const { stepped, bars } = uPlot.paths
  if (shape === 'lines') {
    const paths = stepped?.({ align: 1 })
    return { ...common, width: 1.5, fill: faint(color), ...(paths === undefined ? null : { paths }) }
  }
  const paths = bars?.({ align: 1, size: [0.8, 24] })
  return { ...common, width: 0, fill: color, ...(paths === undefined ? null : { paths }) }
}

/** `rgb(1, 2, 3)` with little of it. */
function faint(color: string): string {
  return color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.12)')
}

function timeOf(moment: number, { from, until }: Drawn, zone: Zone): string {
  const text = clock(moment, zone)
  return until - from <= SECONDS_SHOWN ? text : text.slice(0, 5)
}

function shade(plot: uPlot, { incompleteUntil }: Drawn, color: string): void {
  if (incompleteUntil === null) return
  const { left, top, width, height } = plot.bbox
  const end = Math.min(left + width, plot.valToPos(incompleteUntil, 'x', true))
  plot.ctx.save()
  plot.ctx.fillStyle = color
  plot.ctx.fillRect(left, top, Math.max(0, end - left), height)
  plot.ctx.restore()
}

function pointed(plot: uPlot): number | null {
  const { left = -1 } = plot.cursor
  return left < 0 ? null : plot.posToVal(left, 'x')
}
