import type { Claim } from '../../core/decision.ts'
import type { Birth } from '../../core/job/birth.ts'
import { TwoKeys } from '../live/two-keys.ts'
import { FIRST_VERSION, type FixedPiece, fixedPieces } from './born-row.ts'
import type { ChangedJob, NewJob, ReadyKey, WriteSet } from './tables.ts'

/** New jobs that were submitted at one time and alike: their rows differ in what stands between the pieces. */
export interface BirthRun {
  readonly births: readonly Birth[]
  /** What all of them say of themselves. */
  readonly pieces: readonly FixedPiece[]
}

/** For fewer it takes as long to say what they have in common. */
const FEWEST = 4

/** In their order, as runs; those that are alone are left. */
export function runsOf(births: readonly Birth[]): { runs: readonly BirthRun[]; left: readonly Birth[] } {
  const runs: BirthRun[] = []
  const left: Birth[] = []
  for (let at = 0; at < births.length; ) {
    const first = births[at] as Birth
    let end = at + 1
    while (end < births.length && isOfRun(first, births[end] as Birth)) end++
    const some = at === 0 && end === births.length ? births : births.slice(at, end)
    const pieces = some.length < FEWEST ? null : fixedPieces(first, some.length)
    if (pieces === null) left.push(...some)
    else runs.push({ births: some, pieces })
    at = end
  }
  return { runs, left }
}

function isOfRun(a: Birth, b: Birth): boolean {
  return a.form === b.form && a.now === b.now
}

export function claimOf({ tenant_id, claim: key, job_id: owner }: Birth): Claim {
  return { tenant_id, key, owner }
}

export function readyKeyOf({ tenant_id, job_id, ready: { queue, group, rank } }: Birth): ReadyKey {
  return { queue, tenant_id, group, rank, job_id }
}

/** A new job as it was born, with its claim and its place among what is ready. */
export interface Born {
  readonly row: NewJob
  readonly ready: ReadyKey
  readonly claim: Claim
}

/** A write that makes these jobs as well. Some of them went on in it. */
export function withBorn(set: WriteSet, born: readonly Born[]): WriteSet {
  if (born.length === 0) return set
  const { jobs, drops, rows, adds } = set.jobs.length === 0 ? asBorn(set, born) : goneOn(set, born)
  return {
    ...set,
    newJobs: [...rows, ...set.newJobs],
    jobs,
    claims: [...born.map(({ claim }) => claim), ...set.claims],
    ready: { adds: [...adds, ...set.ready.adds], drops },
  }
}

function asBorn({ jobs, ready: { drops } }: WriteSet, born: readonly Born[]) {
  return { jobs, drops, rows: born.map(({ row }) => row), adds: born.map(({ ready }) => ready) }
}

function goneOn(set: WriteSet, born: readonly Born[]) {
  const all = new TwoKeys<{ row: NewJob; ready: ReadyKey | null }>()
  for (const { row, ready } of born) all.set(row.tenant_id, row.job_id, { row, ready })
  const jobs = set.jobs.filter((job) => {
    const one = all.get(job.tenant_id, job.job_id)
    if (one !== undefined) one.row = movedOn(one.row, job)
    return one === undefined
  })
  const drops = set.ready.drops.filter(({ tenant_id, job_id }) => {
    const one = all.get(tenant_id, job_id)
    if (one !== undefined) one.ready = null
    return one === undefined
  })
  const each = [...all.values()]
  return { jobs, drops, rows: each.map(({ row }) => row), adds: each.flatMap(({ ready }) => ready ?? []) }
}

/** One that went on in the write that makes it. */
function movedOn(row: NewJob, { from, ...changed }: ChangedJob): NewJob {
  if (from !== FIRST_VERSION) throw new Error(`what was born is of version ${FIRST_VERSION}, not ${from}`)
  return { ...row, ...changed }
}
