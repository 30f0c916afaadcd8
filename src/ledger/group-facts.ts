import type { GroupFacts, GroupKind } from '../core/group/commands.ts'
import {
  BEGUN_JOB,
  couldStart,
  countsAsCancelled,
  countsAsFailed,
  OPEN_JOB,
} from '../core/group/member-jobs.ts'
import type { JobRecord } from '../core/job/record.ts'
import type { JobState } from '../core/machines/job.ts'
import { findAll } from '../store/find-all.ts'
import type { Store } from '../store/store.ts'

interface GroupKey {
  readonly kind: GroupKind
  readonly tenant_id: string
  readonly id: string
}

/** Queued jobs that are looked at for one that could start: enough to know, and not all of a million. */
const MOST_LOOKED_AT = 1000

/**
 * What the jobs of a run or workstream are up to. Looks at as few of them as will do: one that is open is enough to know
 * that it goes on. Whether more may come is asked first: the other way round, one could come in between and be overlooked.
 */
export async function groupFacts(store: Store, key: GroupKey): Promise<GroupFacts & Witness> {
  const seals = await sealsOf(store, key)
  const witness = await anyJob(store, key, OPEN_JOB)
  const open = witness !== null
  const started = (await anyJob(store, key, BEGUN_JOB)) !== null
  const endings = open ? STILL_OPEN : await endingsOf(store, key)
  return {
    open,
    started,
    ready: open && !started && key.kind === 'workstream' && (await canStart(store, key)),
    ...endings,
    ...seals,
    witness,
  }
}

/** A job that is open: for as long as it is, nothing ends. */
interface Witness {
  readonly witness: string | null
}

const STILL_OPEN = { succeeded: false, failed: false, cancelled: false }

async function anyJob(store: Store, key: GroupKey, state: readonly JobState[]): Promise<string | null> {
  const { items } = await store.find({ ...jobsOf(key, state), direction: 'desc', limit: 1 })
  return items[0]?.job_id ?? null
}

function jobsOf({ kind, tenant_id, id }: GroupKey, state: readonly JobState[]) {
  const of = kind === 'run' ? { run_id: id } : { workstream_id: id }
  return { kind: 'job', tenant_id, where: { ...of, state } } as const
}

async function endingsOf(store: Store, key: GroupKey) {
  return {
    succeeded: (await anyJob(store, key, ['SUCCEEDED'])) !== null,
    failed: await some(store, key, 'FAILED_FINAL', countsAsFailed),
    cancelled: await some(store, key, 'CANCELLED', countsAsCancelled),
  }
}

async function some(
  store: Store,
  key: GroupKey,
  state: JobState,
  is: (job: JobRecord) => boolean,
): Promise<boolean> {
  for await (const job of findAll(store, jobsOf(key, [state]))) if (is(job)) return true
  return false
}

async function canStart(store: Store, key: GroupKey): Promise<boolean> {
  const { items } = await store.find({ ...jobsOf(key, ['QUEUED']), limit: MOST_LOOKED_AT })
  return items.some(couldStart)
}

async function sealsOf(store: Store, { kind, tenant_id, id }: GroupKey) {
  if (kind === 'run') {
    const run = await store.get({ kind, tenant_id, id })
    return { sealed: run?.sealed === true, run_sealed: false }
  }
  const workstream = await store.get({ kind, tenant_id, id })
  const run_id = workstream?.run_id ?? null
  const run = run_id === null ? null : await store.get({ kind: 'run', tenant_id, id: run_id })
  return { sealed: workstream?.sealed === true, run_sealed: run?.sealed === true }
}
