import { useQuery } from '@tanstack/react-query'
import { stageDurationsQuery } from '../../api/durations.ts'
import { usePage } from '../../app/context.ts'
import { count, many } from '../../format/numbers.ts'
import { span } from '../../format/time.ts'
import { Answer } from '../../parts/answer.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { type DurationBar, durationBars } from './duration-bars.ts'
import styles from './durations-panel.module.css'

const SHOWN = 10

/** How long each stage works on a step, as far as the history goes back. */
export function DurationsPanel() {
  const { tenant } = usePage()
  const query = useQuery(stageDurationsQuery(tenant))
  const hidden = Math.max(0, (query.data?.items.length ?? 0) - SHOWN)
  return (
    <Panel
      title="Durations by stage"
      actions={
        <span className={styles.key}>
          <span data-mark="p50" aria-hidden="true" /> p50 <span data-mark="p95" aria-hidden="true" /> p95
        </span>
      }
    >
      <Answer
        query={query}
        instead={({ items }) =>
          items.length > 0 ? null : (
            <Notice kind="empty" title="No step was worked on yet">
              Durations are told when the first is done.
            </Notice>
          )
        }
      >
        {({ items }) => (
          <>
            <ol className={styles.bars} aria-label="Stages, the slowest first">
              {durationBars(items, SHOWN).map((bar) => (
                <Bar key={bar.name} bar={bar} />
              ))}
            </ol>
            {hidden === 0 ? null : <p className={styles.more}>and {many(hidden, 'faster stage')}</p>}
          </>
        )}
      </Answer>
    </Panel>
  )
}

function Bar({ bar: { name, count: n, p50Ms, p95Ms, p50Share, p95Share } }: { readonly bar: DurationBar }) {
  return (
    <li title={`${name}: half took up to ${span(p50Ms)}, 95 of 100 up to ${span(p95Ms)}; ${many(n, 'step')}`}>
      <span className={styles.name}>{name}</span>
      <span className={styles.numbers}>
        {span(p50Ms)} <span aria-hidden="true">/</span> <strong>{span(p95Ms)}</strong>
        <span className={styles.times}>{count(n)}×</span>
      </span>
      <span className={styles.track} aria-hidden="true">
        <span data-mark="p95" style={{ width: `${p95Share * 100}%` }} />
        <span data-mark="p50" style={{ width: `${p50Share * 100}%` }} />
      </span>
    </li>
  )
}
