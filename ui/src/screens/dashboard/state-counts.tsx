import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type CountedKind, statsQuery } from '../../api/stats.ts'
import { usePage } from '../../app/context.ts'
import { count } from '../../format/numbers.ts'
import { Answer } from '../../parts/answer.tsx'
import { Panel } from '../../parts/panel.tsx'
import styles from './state-counts.module.css'
import { type StateShare, sharesOf, sumOf } from './state-shares.ts'

interface StateCountsProps {
  readonly kind: CountedKind
  readonly title: string
  /** Where the list is. */
  readonly to: string
}

/** How many records of a kind are in each state; each number leads to the list of them. */
export function StateCounts({ kind, title, to }: StateCountsProps) {
  const { tenant, machines } = usePage()
  const query = useQuery(statsQuery(tenant))
  const shares = query.data === undefined ? null : sharesOf(machines[kind], query.data.counts[kind])
  const total = shares === null ? null : sumOf(shares)
  const all =
    total === null ? undefined : (
      <Link className={styles.all} to={to}>
        {count(total)} in all
      </Link>
    )
  return (
    <Panel title={title} actions={all}>
      <Answer query={query}>
        {() => (
          <>
            <ShareBar shares={shares ?? []} total={total ?? 0} />
            <ul className={styles.states}>
              {(shares ?? []).map((share) => (
                <li key={share.state}>
                  <StateLink share={share} to={to} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Answer>
    </Panel>
  )
}

function StateLink({
  share: { state, tone, about, count: n },
  to,
}: {
  readonly share: StateShare
  readonly to: string
}) {
  return (
    <Link
      className={styles.state}
      data-tone={tone}
      data-none={n === 0}
      to={to}
      search={{ state }}
      title={about}
    >
      <span className={styles.dot} aria-hidden="true" />
      <span className={styles.name}>{state}</span>
      <span className={styles.count}>{count(n)}</span>
    </Link>
  )
}

function ShareBar({ shares, total }: { readonly shares: readonly StateShare[]; readonly total: number }) {
  return (
    <div className={styles.bar} aria-hidden="true">
      {shares.map(({ state, tone, count: n }) =>
        n === 0 ? null : <span key={state} data-tone={tone} style={{ flexGrow: n / total }} />,
      )}
    </div>
  )
}
