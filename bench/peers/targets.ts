// What Waybill is held against: a peer in the same run, round by round, or a figure.
import { type Row, ratios, rowOf, type Target } from '../harness.ts'
import { POSTGRES_PEERS, systemOf, type WorkloadName } from './catalogue.ts'
import type { Results } from './results.ts'

interface Claim {
  readonly of: string
  readonly workload: WorkloadName
  readonly figure: string
  readonly target: Target
  /** The best of these counts. Null: the figure itself. */
  readonly against: readonly string[] | null
}

const JOURNAL = 'waybill-journal'
const SQLITE = 'waybill-sqlite'
const POSTGRES = 'waybill-postgres'
const FULL = ['plainjob-full']
const EVERYSEC = ['bullmq-everysec']
const ALWAYS = ['bullmq-always']
const FLOWS = [...EVERYSEC, ...ALWAYS]
const GRAPHILE = ['graphile-default', 'graphile-batched']

function faster(of: string, workload: WorkloadName, times: number, against: readonly string[]): Claim {
  return { of, workload, figure: 'perSecond', target: { atLeast: times }, against }
}

function sooner(
  of: string,
  workload: WorkloadName,
  figure: string,
  against: readonly string[] | null,
  atMost = 1,
): Claim {
  return { of, workload, figure, target: { atMost }, against }
}

const CLAIMS: readonly Claim[] = [
  faster(JOURNAL, 'alone', 1, FULL),
  faster(SQLITE, 'alone', 0.8, FULL),
  faster(POSTGRES, 'alone', 1.2, POSTGRES_PEERS),
  faster(JOURNAL, 'crowd', 3, ALWAYS),
  faster(JOURNAL, 'crowd', 2, EVERYSEC),
  faster(SQLITE, 'crowd', 3, FULL),
  faster(POSTGRES, 'crowd', 3, POSTGRES_PEERS),
  faster(JOURNAL, 'bulk', 1, FULL),
  faster(SQLITE, 'bulk', 0.5, FULL),
  faster(POSTGRES, 'bulk', 0.8, GRAPHILE),
  faster(JOURNAL, 'drain', 3, ALWAYS),
  faster(SQLITE, 'drain', 5, FULL),
  faster(POSTGRES, 'drain', 1, POSTGRES_PEERS),
  faster(JOURNAL, 'both', 3, EVERYSEC),
  faster(SQLITE, 'both', 5, FULL),
  faster(POSTGRES, 'both', 5, POSTGRES_PEERS),
  sooner(JOURNAL, 'latency', 'p50', EVERYSEC),
  sooner(JOURNAL, 'latency', 'p99', EVERYSEC),
  sooner(SQLITE, 'latency', 'p50', null, 2),
  sooner(SQLITE, 'latency', 'p99', null, 8),
  sooner(POSTGRES, 'latency', 'p50', GRAPHILE),
  sooner(POSTGRES, 'latency', 'p99', GRAPHILE),
  faster(JOURNAL, 'steps', 5, FLOWS),
  faster(JOURNAL, 'steps', 10, ['restate']),
  faster(SQLITE, 'steps', 2, FLOWS),
  faster(POSTGRES, 'steps', 10, POSTGRES_PEERS),
  sooner(JOURNAL, 'startup', 'ready', FULL),
  sooner(JOURNAL, 'startup', 'ready', null, 60),
  sooner(SQLITE, 'startup', 'ready', FULL),
  sooner(POSTGRES, 'startup', 'ready', ['pg-boss']),
]

export interface CheckedRow extends Row {
  readonly of: string
  readonly workload: WorkloadName
}

/** Those whose both sides were measured. */
export function checkTargets(results: Results): readonly CheckedRow[] {
  return CLAIMS.flatMap((claim) => {
    const { of, workload, figure, target, against } = claim
    const ours = results.rounds(of, workload, figure)
    if (ours === null) return []
    const suffix = figure === 'perSecond' || figure === 'ready' ? '' : `, ${figure}`
    if (against === null) return [{ of, workload, ...rowOf(titleOf(of, suffix), 'ms', ours, target) }]
    const best = results.best(against, workload, figure, 'atMost' in target)
    const theirs = best === null ? null : results.rounds(best, workload, figure)
    if (best === null || theirs === null) return []
    const what = `${titleOf(of, suffix)} ÷ ${systemOf(best).title}`
    return [{ of, workload, ...rowOf(what, '×', ratios(ours, theirs), target) }]
  })
}

function titleOf(name: string, suffix: string): string {
  return `${systemOf(name).title}${suffix}`
}
