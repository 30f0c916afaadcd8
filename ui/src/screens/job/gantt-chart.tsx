import { useState } from 'react'
import { usePage } from '../../app/context.ts'
import { usePreferences } from '../../app/preferences.ts'
import { clock, span, type Zone } from '../../format/time.ts'
import type { Bar, Gantt, Row, SegmentKind } from '../../shapes/gantt.ts'
import styles from './gantt.module.css'

const ROW = 30
const BAR = 16
const AXIS = 22
const TIP_PX = 260

const SEGMENT_TITLES: { readonly [kind in SegmentKind]: string } = {
  wait: 'waiting to begin',
  dispatch: 'handing out',
  ack: 'waiting for an answer',
  run: 'working',
  backoff: 'backoff',
}

export function GanttChart({ gantt, width }: { readonly gantt: Gantt; readonly width: number }) {
  const [shown, setShown] = useState<string | null>(null)
  const height = gantt.rows.length * ROW
  const at = gantt.rows
    .flatMap((row, i) => row.bars.map((bar) => ({ bar, i })))
    .find(({ bar }) => keyOf(bar) === shown)
  return (
    <>
      <svg
        className={styles.chart}
        width={width}
        height={height + AXIS}
        role="group"
        aria-label="Attempts over time"
      >
        {gantt.ticks.map(({ x, label }) => (
          <g key={label}>
            <line className={styles.grid} x1={x} x2={x} y1={0} y2={height} />
            <text className={styles.tick} x={x} y={height + 15} textAnchor={anchorOf(x, width)}>
              {label}
            </text>
          </g>
        ))}
        {gantt.rows.map((row, i) => (
          <RowOfBars key={row.step_id} row={row} y={i * ROW} onShow={setShown} />
        ))}
      </svg>
      {at === undefined ? null : (
        <Tip bar={at.bar} left={Math.max(0, Math.min(at.bar.x, width - TIP_PX))} top={at.i * ROW + ROW} />
      )}
      <Legend />
    </>
  )
}

function anchorOf(x: number, width: number): 'start' | 'middle' | 'end' {
  if (x < 20) return 'start'
  return x > width - 20 ? 'end' : 'middle'
}

function keyOf({ attempt }: Bar): string {
  return `${attempt.step_id} ${attempt.attempt_no}`
}

interface RowProps {
  readonly row: Row
  readonly y: number
  onShow(key: string | null): void
}

function RowOfBars({ row, y, onShow }: RowProps) {
  const middle = y + ROW / 2
  return (
    <g>
      {row.gaps.map(({ kind, x, width, from }) => (
        <line
          key={`${kind} ${from}`}
          className={styles[kind]}
          x1={x}
          x2={x + width}
          y1={middle}
          y2={middle}
        />
      ))}
      {row.bars.map((bar) => (
        <BarShape key={keyOf(bar)} bar={bar} y={y} onShow={onShow} />
      ))}
    </g>
  )
}

function BarShape({
  bar,
  y,
  onShow,
}: {
  readonly bar: Bar
  readonly y: number
  onShow(key: string | null): void
}) {
  const { zone } = usePreferences()
  const tone = useTones()(bar)
  const top = y + (ROW - BAR) / 2
  const show = () => onShow(keyOf(bar))
  const hide = () => onShow(null)
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it can be reached to be read, and does nothing
    <g
      className={styles.bar}
      data-tone={tone}
      data-open={bar.isOpen}
      tabIndex={0}
      role="img"
      aria-label={linesOf(bar, zone).join(', ')}
      onMouseEnter={show}
      onMouseLeave={hide}
      onFocus={show}
      onBlur={hide}
    >
      <rect className={styles.target} x={bar.x - 4} y={y} width={bar.width + 8} height={ROW} />
      <rect className={styles.whole} x={bar.x} y={top} width={bar.width} height={BAR} rx={3} />
      {bar.segments.map(({ kind, x, width }) => (
        <rect key={kind} className={styles[kind]} x={x} y={top} width={width} height={BAR} rx={3} />
      ))}
    </g>
  )
}

/** As the state that it ended in is to be taken; busy while it has not. */
function useTones() {
  const { machines } = usePage()
  return ({ attempt: { outcome } }: Bar) =>
    outcome === null ? 'busy' : (machines.step.states[outcome]?.tone ?? 'waiting')
}

function linesOf({ attempt, segments, isOpen }: Bar, zone: Zone): readonly string[] {
  const parts = segments.map(
    ({ kind, from, until }) =>
      `${SEGMENT_TITLES[kind]} ${span(until - from)} from ${clock(from / 1000, zone)}`,
  )
  const end = isOpen ? 'goes on' : (attempt.outcome ?? 'no end is known')
  const error = attempt.error_code === null ? [] : [`${attempt.error_code}: ${attempt.error_message ?? ''}`]
  return [
    `${attempt.step_id}, attempt ${attempt.attempt_no}: ${end}`,
    ...parts,
    ...error,
    ...heldBy(attempt.holder),
  ]
}

function heldBy(holder: string | null): readonly string[] {
  return holder === null ? [] : [`by ${holder}`]
}

function Tip({ bar, left, top }: { readonly bar: Bar; readonly left: number; readonly top: number }) {
  const { zone } = usePreferences()
  const [title, ...lines] = linesOf(bar, zone)
  return (
    <div className={styles.tip} style={{ left, top, width: TIP_PX }} aria-hidden="true">
      <strong>{title}</strong>
      {lines.map((line) => (
        <span key={line}>{line}</span>
      ))}
    </div>
  )
}

function Legend() {
  return (
    <ul className={styles.legend} data-tone="busy" aria-hidden="true">
      {(['wait', 'dispatch', 'ack', 'run', 'backoff'] as const).map((kind) => (
        <li key={kind}>
          <svg width="18" height="10" aria-hidden="true">
            {kind === 'wait' || kind === 'backoff' ? (
              <line className={styles[kind]} x1={0} x2={18} y1={5} y2={5} />
            ) : (
              <rect className={styles[kind]} width={18} height={10} rx={2} />
            )}
          </svg>
          {SEGMENT_TITLES[kind]}
        </li>
      ))}
    </ul>
  )
}
