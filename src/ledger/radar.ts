// The radar's looking: open jobs, steps that were begun, jobs that ended lately, each as far as a look goes.
import type { RecordOf } from '../core/aggregate.ts'
import type { DurationRow } from '../core/durations.ts'
import { isTerminal, openStatesOf, statesOf } from '../core/machine.ts'
import { jobMachine } from '../core/machines/job.ts'
import { stepMachine } from '../core/machines/step.ts'
import { protocolKey, type Radar, type RadarBy, radarOf } from '../core/radar/radar.ts'
import { type SeenJob, type SeenStage, seenJob, seenStage, seenStep } from '../core/radar/seen-job.ts'
import { HOUR_MS } from '../core/time.ts'
import { findPages } from '../store/find-all.ts'
import type { FindQuery } from '../store/query.ts'
import type { Store } from '../store/store.ts'
import { oneOrAll } from './tenant-to-find.ts'

export interface RadarQuery {
  /** `*` for all of them. */
  readonly tenant_id: string
  readonly by: RadarBy
  /** Jobs that ended within so many hours count as passed or failed. */
  readonly hours: number
  /** How long attempts took (`ATTEMPTS`), for whoever knows it already: to find out takes longer than all the rest. */
  readonly durations?: readonly DurationRow[] | undefined
}

/** The durations that say how long jobs may stand at a stage. */
export const ATTEMPTS = { kind: 'step', state: 'IN_PROGRESS' } as const

/** Records of each sort that are looked at. */
const MOST_SEEN = 20_000

/** Protocols whose stages are looked up. */
const MOST_PROTOCOLS = 500
const AT_ONCE = 50

const OPEN = openStatesOf(jobMachine)
const ENDED = statesOf(jobMachine).filter((state) => isTerminal(jobMachine, state))
const BEGUN = openStatesOf(stepMachine).filter((state) => state !== stepMachine.initial)

export async function radar(store: Store, now: number, { by, hours, ...query }: RadarQuery): Promise<Radar> {
  const tenant_id = oneOrAll(query.tenant_id)
  const endedFrom = now - hours * HOUR_MS
  const open = await look(store, { kind: 'job', tenant_id, where: { state: OPEN } }, (job) =>
    seenJob(job, now),
  )
  const begun = await look(store, { kind: 'step', tenant_id, where: { state: BEGUN } }, seenStep)
  const ended = await look(
    store,
    {
      kind: 'job',
      tenant_id,
      where: { state: ENDED },
      changedFrom: endedFrom,
      order: 'changed',
      direction: 'desc',
    },
    // A job that has ended does not change any more.
    (job) => seenJob(job, now),
  )
  return radarOf({
    by,
    now,
    endedFrom,
    isMore: open.isMore || begun.isMore || ended.isMore,
    open: open.seen,
    begun: begun.seen,
    ended: ended.seen,
    stages: await stagesOf(store, [...open.seen, ...ended.seen]),
    durations: query.durations ?? (await store.durations({ ...ATTEMPTS, tenant_id })),
  })
}

interface Looked<T> {
  readonly seen: readonly T[]
  readonly isMore: boolean
}

async function look<K extends 'job' | 'step', T>(
  store: Store,
  query: FindQuery<K>,
  see: (record: RecordOf[K]) => T,
): Promise<Looked<T>> {
  const seen: T[] = []
  for await (const page of findPages<K>(store, query)) {
    if (seen.length >= MOST_SEEN) return { seen, isMore: true }
    for (const record of page) seen.push(see(record))
  }
  return { seen, isMore: false }
}

/** A protocol is not kept by itself: the job that got furthest has all its stages. */
async function stagesOf(
  store: Store,
  jobs: readonly SeenJob[],
): Promise<ReadonlyMap<string, readonly SeenStage[]>> {
  const samples = new Map<string, SeenJob>()
  for (const job of jobs) {
    const key = protocolKey(job)
    const known = samples.get(key)
    if (known === undefined ? samples.size < MOST_PROTOCOLS : known.stage_index < job.stage_index) {
      samples.set(key, job)
    }
  }
  const stages = new Map<string, readonly SeenStage[]>()
  const wanted = [...samples.entries()]
  for (let i = 0; i < wanted.length; i += AT_ONCE) {
    await Promise.all(
      wanted.slice(i, i + AT_ONCE).map(async ([key, { tenant_id, job_id }]) => {
        const aggregate = await store.load({ kind: 'job', tenant_id, id: job_id })
        if (aggregate !== null) stages.set(key, aggregate.steps.map(seenStage))
      }),
    )
  }
  return stages
}
