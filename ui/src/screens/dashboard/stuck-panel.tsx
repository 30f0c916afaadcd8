import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { StuckThreshold } from '../../../../src/core/document/stuck.ts'
import { stuckQuery } from '../../api/stuck.ts'
import { usePage } from '../../app/context.ts'
import { counted } from '../../format/numbers.ts'
import { span } from '../../format/time.ts'
import { Answer } from '../../parts/answer.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { Since } from '../../parts/when.tsx'
import styles from './rows.module.css'

const HOUR_MS = 3_600_000
const SHOWN = 5
/** So many are counted. */
const COUNTED = 100

export function StuckPanel() {
  const { tenant } = usePage()
  const query = useQuery(stuckQuery(tenant, COUNTED))
  const actions =
    query.data === undefined || query.data.items.length === 0 ? undefined : (
      <Link className={styles.all} to="/documents" search={{ stuck: '1' }}>
        All {counted({ count: query.data.items.length, is_more: query.data.is_more })}
      </Link>
    )
  return (
    <Panel title="Stuck documents" actions={actions} isFlush>
      <Answer
        query={query}
        instead={({ items }) =>
          items.length > 0 ? null : (
            <Notice kind="empty" title="No document is stuck">
              One is when it stays in a state for longer than 99 of 100 did.
            </Notice>
          )
        }
      >
        {({ items }) => (
          <ol className={styles.rows}>
            {items.slice(0, SHOWN).map(({ tenant_id, doc_id, state, since, threshold }) => (
              <li key={`${tenant_id} ${doc_id}`}>
                <div className={styles.line}>
                  <RecordLink kind="document" tenant={tenant_id} id={doc_id} isPlain />
                  <span className={styles.end} data-tone="bad">
                    <Since at={since} />
                  </span>
                </div>
                <div className={styles.line}>
                  <StatePill kind="document" state={state} />
                  <span className={`${styles.muted} ${styles.measure}`} title={measureOf(threshold)}>
                    {measureOf(threshold)}
                  </span>
                </div>
              </li>
            ))}
          </ol>
        )}
      </Answer>
    </Panel>
  )
}

const MEASURES: { readonly [from in StuckThreshold['from']]: (limit: string) => string } = {
  given: (limit) => `${limit} is the limit`,
  p99: (limit) => `99 of 100 take up to ${limit}`,
  default: (limit) => `${limit} is the limit, as none has left it yet`,
}

function measureOf({ hours, from }: StuckThreshold): string {
  return MEASURES[from](span(hours * HOUR_MS))
}
