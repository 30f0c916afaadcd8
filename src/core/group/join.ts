import { idOf, type RecordKey } from '../aggregate.ts'
import type { AuditEntry } from '../audit.ts'
import { type Given, type Needed, need, type Refused, refuse } from '../decision.ts'
import { EMPTY } from '../json.ts'
import { isTerminal, type Machine } from '../machine.ts'
import { machines } from '../machines/all.ts'
import type { GroupKind, GroupRecord } from './commands.ts'
import { groupEntry, newGroup } from './new-group.ts'

interface Joining {
  readonly tenant_id: string
  readonly run_id: string | null
  readonly workstream_id: string | null
  readonly actor: string
  readonly reason: string | null
}

interface Joined {
  readonly kind: 'joined'
  /** The run of the job: its own, or that of its workstream. */
  readonly run_id: string | null
  readonly puts: readonly GroupRecord[]
  readonly audit: readonly AuditEntry[]
}

const NOTHING_TO_JOIN: Joined = { kind: 'joined', run_id: null, puts: [], audit: [] }

/**
 * A job belongs to the run and the workstream that it names. Those that are not there yet are made with it, so that no job
 * ever names something that is not there; those that take no more jobs refuse it.
 */
export function joinGroups(joining: Joining, given: Given): Joined | Needed | Refused {
  const { tenant_id, workstream_id } = joining
  if (joining.run_id === null && workstream_id === null) return NOTHING_TO_JOIN
  const workstream = lookUp('workstream', tenant_id, workstream_id, given)
  if (workstream.kind === 'need') return withRun(workstream, joining, given)
  const of = workstream.group?.kind === 'workstream' ? workstream.group.run_id : null
  if (of !== null && joining.run_id !== null && of !== joining.run_id) return refuseOther(joining, of)
  const run_id = joining.run_id ?? of
  const run = lookUp('run', tenant_id, run_id, given)
  if (run.kind === 'need') return run
  const closed = [run.group, workstream.group].find((group) => group !== null && isClosed(group))
  if (closed != null) return refuseClosed(closed)
  const made: GroupRecord[] = []
  if (run_id !== null && run.group === null) {
    made.push(newGroup({ tenant_id, kind: 'run', id: run_id, run_id: null, metadata: EMPTY }, given.now))
  }
  if (workstream_id !== null && workstream.group === null) {
    made.push(
      newGroup({ tenant_id, kind: 'workstream', id: workstream_id, run_id, metadata: EMPTY }, given.now),
    )
  }
  const audit = made.map((group) => groupEntry(joining, group, [null, group.state], given.now))
  return { kind: 'joined', run_id, puts: made, audit }
}

type Found = Needed | { readonly kind: 'found'; readonly group: GroupRecord | null }

function lookUp(kind: GroupKind, tenant_id: string, id: string | null, given: Given): Found {
  if (id === null) return { kind: 'found', group: null }
  const group = given.get(kind, tenant_id, id) as GroupRecord | null | undefined
  return group === undefined ? need([{ kind, tenant_id, id }]) : { kind: 'found', group }
}

/** Both at once, where both are named. */
function withRun(needed: Needed, { tenant_id, run_id }: Joining, given: Given): Needed {
  const run = lookUp('run', tenant_id, run_id, given)
  const more: readonly RecordKey[] = run.kind === 'need' ? run.keys : []
  return need([...needed.keys, ...more])
}

function isClosed({ kind, state, sealed }: GroupRecord): boolean {
  return sealed || isTerminal(machines[kind] as Machine<string>, state)
}

function refuseClosed(group: GroupRecord): Refused {
  const id = idOf(group)
  return refuse({
    code: 'RUN_CLOSED',
    message: `The ${group.kind} ${id} is ${group.sealed ? 'sealed' : group.state} and takes no more jobs`,
    field: `${group.kind}_id`,
    next: `Name another ${group.kind}, or none.`,
    details: { kind: group.kind, id, state: group.state, sealed: group.sealed },
  })
}

function refuseOther({ run_id, workstream_id }: Joining, of: string): Refused {
  return refuse({
    code: 'RUN_CLOSED',
    message: `Workstream ${workstream_id} is part of run ${of}, not of ${run_id}`,
    field: 'workstream_id',
    next: `Name run ${of}, or another workstream.`,
    details: { kind: 'workstream', id: workstream_id, run_id: of },
  })
}
