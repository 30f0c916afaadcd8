import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { OutboxLag } from '../../../../src/ledger/overview.ts'
import { overviewQuery } from '../../api/overview.ts'
import { usePage } from '../../app/context.ts'
import { counted } from '../../format/numbers.ts'
import { Answer } from '../../parts/answer.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { Since } from '../../parts/when.tsx'
import styles from './rows.module.css'

/** What is to be published, and for how long already. */
export function OutboxPanel() {
  const { tenant } = usePage()
  const query = useQuery(overviewQuery(tenant))
  return (
    <Panel title="Outbox" isFlush>
      <Answer query={query}>
        {({ outbox }) =>
          outbox.pending === 0 ? (
            <p className={styles.fine} data-tone="good">
              <span aria-hidden="true" /> Nothing waits to be published.
            </p>
          ) : (
            <Facts isNarrow facts={factsOf(outbox)} />
          )
        }
      </Answer>
    </Panel>
  )
}

function factsOf({ pending, oldest_at, oldest_job_id }: OutboxLag): readonly (Fact | null)[] {
  return [
    ['Pending', counted({ count: pending, is_more: false })],
    ['Oldest for', <Since key="oldest" at={oldest_at} />],
    oldest_job_id === null ? null : ['Of job', <OldestJob key="job" id={oldest_job_id} />],
  ]
}

/** Whose job it is, is only known when one tenant is looked at. */
function OldestJob({ id }: { readonly id: string }) {
  const { tenant } = usePage()
  if (tenant !== '*') return <RecordLink kind="job" tenant={tenant} id={id} isPlain />
  return (
    <Link className={styles.id} to="/jobs" search={{ q: id }}>
      {id}
    </Link>
  )
}
