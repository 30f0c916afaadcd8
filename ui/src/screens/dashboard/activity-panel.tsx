import { useQuery } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import type { Activity } from '../../../../src/ledger/activity.ts'
import { activityQuery } from '../../api/activity.ts'
import { usePage } from '../../app/context.ts'
import { usePreferences } from '../../app/preferences.ts'
import { useUrlState } from '../../app/url-state.ts'
import { clock } from '../../format/time.ts'
import { Answer } from '../../parts/answer.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import styles from './activity.module.css'
import { ActivityChart } from './activity-chart.tsx'
import { incompleteUntil, isQuiet, stepAt, THROUGHPUT, TROUBLE } from './activity-series.ts'

const SPANS = [
  { id: '5m', minutes: 5, short: '5 min', long: 'the last 5 minutes' },
  { id: '15m', minutes: 15, short: '15 min', long: 'the last 15 minutes' },
  { id: '1h', minutes: 60, short: '1 h', long: 'the last hour' },
  { id: '6h', minutes: 360, short: '6 h', long: 'the last 6 hours' },
  { id: '24h', minutes: 1440, short: '24 h', long: 'the last 24 hours' },
] as const

type Span = (typeof SPANS)[number]
const USUAL = SPANS[1]

export function ActivityPanel() {
  const { tenant } = usePage()
  const [{ span: named }, setUrl] = useUrlState()
  const span = SPANS.find(({ id }) => id === named) ?? USUAL
  const query = useQuery(activityQuery(tenant, span.minutes))
  const choice = (
    <fieldset className={styles.spans} aria-label="How far back">
      {SPANS.map((one) => (
        <button
          key={one.id}
          type="button"
          aria-pressed={one === span}
          title={`Show ${one.long}`}
          onClick={() => setUrl({ span: one === USUAL ? null : one.id })}
        >
          {one.short}
        </button>
      ))}
    </fieldset>
  )
  return (
    <Panel title="Throughput and failures" actions={choice}>
      <Answer query={query} instead={(activity) => (isQuiet(activity) ? <Quiet span={span} /> : null)}>
        {(activity) => <Charts activity={activity} span={span} />}
      </Answer>
    </Panel>
  )
}

function Quiet({ span }: { readonly span: Span }) {
  return (
    <Notice kind="empty" title={`Nothing happened in ${span.long}`}>
      What jobs do shows up here as they do it. Choose a longer time to look further back.
    </Notice>
  )
}

function Charts({ activity, span }: { readonly activity: Activity; readonly span: Span }) {
  const [step, setStep] = useState<number | null>(null)
  const latest = useRef(activity)
  latest.current = activity
  const onPoint = useCallback(
    (moment: number | null) => setStep(moment === null ? null : stepAt(latest.current, moment)),
    [],
  )
  const common = { activity, span: span.long, step, onPoint }
  return (
    <div className={styles.charts}>
      <ActivityChart title="Throughput" shape="lines" lines={THROUGHPUT} {...common} />
      <ActivityChart title="Failures" shape="bars" lines={TROUBLE} {...common} />
      <Footnote activity={activity} span={span} step={step} />
    </div>
  )
}

interface FootnoteProps {
  readonly activity: Activity
  readonly span: Span
  readonly step: number | null
}

/** What the numbers are about: a step, or all of them; and what they lack. */
function Footnote({ activity: { at, step_seconds, complete_from }, span, step }: FootnoteProps) {
  const { zone } = usePreferences()
  const begin = step === null ? undefined : at[step]
  const until = incompleteUntil({ at, complete_from })
  return (
    <p className={styles.footnote}>
      {begin === undefined
        ? `In ${span.long}, in steps of ${lengthOf(step_seconds)}; the last one is not over.`
        : `From ${clock(begin, zone)} to ${clock(begin + step_seconds, zone)}.`}
      {until === null ? null : (
        <strong> Before {clock(until, zone)} more has happened than is counted here.</strong>
      )}
    </p>
  )
}

function lengthOf(seconds: number): string {
  if (seconds < 60) return `${seconds} seconds`
  return seconds === 60 ? 'a minute' : `${seconds / 60} minutes`
}
