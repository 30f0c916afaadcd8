import { useMemo } from 'react'
import type { Activity } from '../../../../src/ledger/activity.ts'
import { usePreferences } from '../../app/preferences.ts'
import { count } from '../../format/numbers.ts'
import { clock } from '../../format/time.ts'
import styles from './activity.module.css'
import {
  type ActivityLine,
  asLines,
  asStack,
  endOf,
  highestOf,
  incompleteUntil,
  peakOf,
  topOf,
  totalOf,
} from './activity-series.ts'
import { Chart } from './chart.tsx'
import type { Drawn } from './draw-chart.ts'

interface ActivityChartProps {
  readonly title: string
  readonly shape: Drawn['shape']
  readonly lines: readonly ActivityLine[]
  readonly activity: Activity
  /** `the last 15 minutes`. */
  readonly span: string
  /** The step that the pointer is in. */
  readonly step: number | null
  readonly onPoint: (moment: number | null) => void
}

export function ActivityChart({ title, shape, lines, activity, span, step, onPoint }: ActivityChartProps) {
  const drawn = useMemo<Drawn>(() => {
    const data = shape === 'lines' ? asLines(activity, lines) : asStack(activity, lines)
    const tones = lines.map(({ tone }) => tone)
    return {
      shape,
      data,
      tones: shape === 'lines' ? tones : tones.reverse(),
      from: activity.at[0] ?? 0,
      until: endOf(activity),
      top: topOf(highestOf(data)),
      incompleteUntil: incompleteUntil(activity),
    }
  }, [activity, lines, shape])
  const isPartial = drawn.incompleteUntil !== null
  const numberOf = ({ name }: ActivityLine) =>
    step === null
      ? `${count(totalOf(activity[name]))}${isPartial ? '+' : ''}`
      : count(activity[name][step] ?? 0)
  const told = lines.map((line) => `${count(totalOf(activity[line.name]))} ${line.title.toLowerCase()}`)
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.legend}>
        <h3>{title}</h3>
        <ul>
          {lines.map((line) => (
            <li key={line.name} data-tone={line.tone} title={line.about}>
              <span className={styles.swatch} aria-hidden="true" />
              {line.title} <strong>{numberOf(line)}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
      <Chart label={`${title} in ${span}: ${told.join(', ')}`} drawn={drawn} onPoint={onPoint} />
      <Summary title={title} lines={lines} activity={activity} span={span} />
    </figure>
  )
}

/** The same in words and numbers, for those who do not see the chart. */
function Summary({
  title,
  lines,
  activity,
  span,
}: Pick<ActivityChartProps, 'title' | 'lines' | 'activity' | 'span'>) {
  const { zone } = usePreferences()
  return (
    <div className={styles.summary}>
      <table>
        <caption>
          {title} in {span}, counted in steps of {activity.step_seconds} seconds
        </caption>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">In all</th>
            <th scope="col">Most in one step</th>
            <th scope="col">When that was</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ name, title: what }) => {
            const peak = peakOf(activity[name], activity.at)
            return (
              <tr key={name}>
                <th scope="row">{what}</th>
                <td>{count(totalOf(activity[name]))}</td>
                <td>{count(peak?.value ?? 0)}</td>
                <td>{peak === null ? '–' : clock(peak.at, zone)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
