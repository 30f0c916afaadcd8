import {
  type AggregateKind,
  applyToJob,
  isJobPart,
  type JobAggregate,
  type LedgerRecord,
} from '../../src/core/aggregate.ts'
import type { Change, Decision, Given, SlotChange } from '../../src/core/decision.ts'
import type { JobCommand, SubmitJob } from '../../src/core/job/commands.ts'
import { decideJob } from '../../src/core/job/decide.ts'
import type { Protocol, ProtocolStep } from '../../src/core/job/protocol.ts'
import type { DocumentState } from '../../src/core/machines/document.ts'
import type { WorkView } from '../../src/core/pick.ts'
import { EVERYBODY, type QueueRecord } from '../../src/core/queue/record.ts'
import { toIso } from '../../src/core/time.ts'
import { documentRecord } from '../fixtures/document-record.ts'
import { submitOf } from '../fixtures/job-commands.ts'

/** One job and everything around it that a command could meet: the nodes of the walk. */
export interface SystemState {
  readonly now: number
  readonly aggregate: JobAggregate | null
  /** Those that took over from it, by id. */
  readonly heirs: ReadonlyMap<string, JobAggregate>
  /** The state of its document; null when there is none. */
  readonly document: DocumentState | null
  /** Ids given out so far; the next one follows from it, so a state always goes on in the same way. */
  readonly idsMade: number
  /** Every lease and outbox row there ever was, for messages that come late. */
  readonly leases: readonly Lease[]
  readonly rows: readonly string[]
  /** Until when each slot is held, by tenant, key and owner. */
  readonly held: ReadonlyMap<string, number>
  /** What was decided about the queue of all steps. */
  readonly queue: QueueRecord | null
  /** The last state of each record as the history tells it. */
  readonly told: ReadonlyMap<string, string>
}

export interface Lease {
  readonly step_id: string
  readonly attempt_no: number
  readonly lease_id: string
}

const START_MS = Date.UTC(2025, 0, 1)
const TENANT = 't1'
const JOB = 'job-1'
const QUEUE = 'svc'

export const POLICY = {
  max_attempts: 2,
  ack_timeout_ms: 30_000,
  lease_ms: 60_000,
  backoff: { kind: 'list', delaysMs: [20_000] },
  publish_tries: 2,
  publish_timeout_ms: 30_000,
  publish_backoff: { kind: 'list', delaysMs: [20_000] },
} as const

/** Past every wait that a job of two steps and two attempts each can go through. */
const EXPIRES_AFTER_MS = 600_000

type Explored = Pick<ProtocolStep, 'delivery' | 'limits' | 'policy' | 'gate'> & { readonly step_id?: string }

export function protocolOf(...steps: readonly Explored[]): Protocol {
  return {
    protocol_id: 'explored.v1',
    request_type: 'EXPLORED',
    steps: steps.map((step, i) => ({
      step_id: `s${i}`,
      step_type: 'S',
      service: QUEUE,
      ...step,
      policy: { ...POLICY, ...step.policy },
    })),
  }
}

export const EMPTY_SYSTEM: SystemState = {
  now: START_MS,
  aggregate: null,
  heirs: new Map(),
  document: null,
  idsMade: 0,
  leases: [],
  rows: [],
  held: new Map(),
  queue: null,
  told: new Map(),
}

/** A queue in which nobody has done anything yet, but set its limits. */
export function queueOf(limits: Pick<QueueRecord, 'concurrency' | 'rate'>): QueueRecord {
  const at = toIso(START_MS)
  const times = { state_since: at, created_at: at, updated_at: at }
  return {
    kind: 'queue',
    tenant_id: EVERYBODY,
    queue: QUEUE,
    state: 'running',
    ...limits,
    ...times,
    etag: '',
  }
}

export function submit(protocol: Protocol, more: Partial<SubmitJob> = {}): SubmitJob {
  return submitOf({
    ...addressed,
    protocol,
    inFlightLimit: 1,
    run_at: toIso(START_MS + 10_000),
    expires_at: toIso(START_MS + EXPIRES_AFTER_MS),
    ...more,
  })
}

export const addressed = { tenant_id: TENANT, job_id: JOB, actor: 'explorer', reason: null } as const

export interface Decided {
  readonly decision: Decision<unknown>
  readonly idsMade: number
}

/** The kernel, or a kernel with a fault planted in it. */
export type Kernel = (command: JobCommand, given: Given) => Decision<unknown>

/** Calls the kernel on a state. */
export function decideIn(state: SystemState, command: JobCommand, kernel: Kernel = decideJob): Decided {
  const full = new Set<string>()
  for (;;) {
    let idsMade = state.idsMade
    const given: Given = {
      now: state.now,
      ids: { next: () => `id-${++idsMade}` },
      get: (kind, _tenant, id) => found(state, kind, id) as never,
      ownerOf: () => (state.aggregate === null ? undefined : JOB),
      isFull: ({ tenant_id, key }) => full.has(`${tenant_id} ${key}`),
    }
    const decision = kernel(command, given)
    const slot = decision.kind === 'change' ? fullSlot(state, decision.change.slots) : undefined
    if (slot === undefined) return { decision, idsMade }
    if (full.has(slot)) throw new Error(`${slot} is full, and it is asked for again`)
    full.add(slot)
  }
}

function found(state: SystemState, kind: AggregateKind, id: string): unknown {
  if (kind === 'job') return aggregateOf(state, id)
  if (kind === 'queue') return state.queue
  return kind === 'document' && state.document !== null
    ? documentRecord({ doc_id: id, state: state.document })
    : null
}

export function aggregateOf(state: SystemState, job_id: string): JobAggregate | null {
  return job_id === JOB ? state.aggregate : (state.heirs.get(job_id) ?? null)
}

/** How many hold a slot now. */
export function usedIn({ held, now }: SystemState, tenant_id: string, key: string): number {
  const start = `${tenant_id} ${key} `
  return [...held].filter(([name, until]) => name.startsWith(start) && until > now).length
}

/** The first that is asked for and cannot be had. */
function fullSlot(state: SystemState, slots: readonly SlotChange[]): string | undefined {
  for (const slot of slots) {
    if (slot.verb === 'release') continue
    const { tenant_id, key, owner, max } = slot
    const holds = (state.held.get(`${tenant_id} ${key} ${owner}`) ?? 0) > state.now
    if (!holds && usedIn(state, tenant_id, key) >= max) return `${tenant_id} ${key}`
  }
  return undefined
}

/** What bears on the job's being taken. */
export function viewOf(state: SystemState): WorkView {
  return {
    used: (tenant_id, key) => usedIn(state, tenant_id, key),
    freeAt: () => null,
    holders: () => [],
    queue: () => state.queue,
  }
}

/** The state after a change; with `puts` given, after a crash that let only those through. */
export function after(state: SystemState, change: Change, idsMade: number, puts = change.puts): SystemState {
  for (const put of puts) put.etag = `etag-${idsMade}-${state.now}`
  const own = puts.filter((put) => !isJobPart(put) || put.job_id === JOB)
  const aggregate = own.length === 0 ? state.aggregate : applyToJob(state.aggregate, own)
  const told = new Map(state.told)
  for (const entry of change.audit) {
    if (entry.event === 'moved') told.set(entry.id, entry.path.at(-1) as string)
  }
  return {
    now: state.now,
    aggregate,
    heirs: withHeirs(state.heirs, puts),
    document: state.document,
    idsMade,
    leases: withLeases(state.leases, puts),
    rows: withRows(state.rows, puts),
    held: withSlots(state.held, change.slots),
    queue: state.queue,
    told,
  }
}

/** Steps of a job that is not there are nobody's. */
function withHeirs(
  heirs: ReadonlyMap<string, JobAggregate>,
  puts: readonly LedgerRecord[],
): ReadonlyMap<string, JobAggregate> {
  const parts = puts.filter(isJobPart).filter(({ job_id }) => job_id !== JOB)
  if (parts.length === 0) return heirs
  const next = new Map(heirs)
  for (const [id, some] of Map.groupBy(parts, ({ job_id }) => job_id)) {
    const before = heirs.get(id) ?? null
    if (before !== null || some.some(({ kind }) => kind === 'job')) next.set(id, applyToJob(before, some))
  }
  return next
}

function withLeases(known: readonly Lease[], puts: readonly LedgerRecord[]): readonly Lease[] {
  const leases = [...known]
  for (const put of puts) {
    if (put.kind !== 'step' || put.lease_id === null || put.job_id !== JOB) continue
    const { step_id, attempt_no, lease_id } = put
    if (!leases.some((lease) => lease.lease_id === lease_id)) leases.push({ step_id, attempt_no, lease_id })
  }
  return leases
}

function withRows(known: readonly string[], puts: readonly LedgerRecord[]): readonly string[] {
  const rows = puts.flatMap((put) => (put.kind === 'outbox' ? [put.outbox_id] : []))
  return [...new Set([...known, ...rows])]
}

function withSlots(
  held: ReadonlyMap<string, number>,
  changes: readonly SlotChange[],
): ReadonlyMap<string, number> {
  const next = new Map(held)
  for (const change of changes) {
    const name = `${change.tenant_id} ${change.key} ${change.owner}`
    if (change.verb === 'take') next.set(name, change.until ?? Number.POSITIVE_INFINITY)
    else next.delete(name)
  }
  return next
}
