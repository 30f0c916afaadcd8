import { type AuditEntry, steeringEntry } from '../audit.ts'
import { type ClaimKey, change, type Decision, type Given, need, type Refused, refuse } from '../decision.ts'
import { requestClaim } from '../idempotency.ts'
import { overlaid } from '../job/metadata.ts'
import type { JsonObject } from '../json.ts'
import { isEdge, isTerminal, type Machine, nextStates } from '../machine.ts'
import { machines } from '../machines/all.ts'
import { present } from '../must.ts'
import { toIso } from '../time.ts'
import type {
  AnnotateGroup,
  CreateGroup,
  FollowGroup,
  GroupCommand,
  GroupKind,
  GroupRecord,
  MoveGroup,
} from './commands.ts'
import { pathOf, targetOf } from './follow.ts'
import { groupEntry, newGroup } from './new-group.ts'

export function decideGroup(command: GroupCommand, given: Given): Decision<GroupRecord> {
  const { tenant_id, kind, id } = command
  const before = given.get(kind, tenant_id, id) as GroupRecord | null | undefined
  if (before === undefined) return need([{ kind, tenant_id, id }])
  const repeated = command.type === 'createGroup' ? repeatedCreate(command, given) : null
  if (repeated !== null) return repeated
  if (command.if_match !== undefined && command.if_match !== (before?.etag ?? '')) {
    return refuseStale(command, before, given.now)
  }
  if (command.type === 'createGroup') return create(command, before, given)
  if (before === null) return notFound(command)
  switch (command.type) {
    case 'moveGroup':
      return move(command, before, given)
    case 'sealGroup':
      if (before.sealed || isOver(before)) return change(before, {})
      return patched(command, before, given, { sealed: true }, { sealed: true })
    case 'annotateGroup':
      return annotate(command, before, given)
    case 'followGroup':
      return follow(command, before, given)
  }
}

function create(command: CreateGroup, before: GroupRecord | null, given: Given): Decision<GroupRecord> {
  if (before !== null) return refuseExisting(command)
  const after = newGroup(command, given.now)
  const claim = claimOf(command)
  return change(after, {
    puts: [after],
    audit: [groupEntry(command, after, [null, after.state], given.now)],
    claims: claim === null ? [] : [{ ...claim, owner: command.id }],
  })
}

function claimOf({ tenant_id, kind, request_key }: CreateGroup): ClaimKey | null {
  return request_key === undefined ? null : { tenant_id, key: requestClaim(kind, request_key) }
}

/** What was made for the same key before, whatever has become of it; null when nothing was. */
function repeatedCreate(command: CreateGroup, given: Given): Decision<GroupRecord> | null {
  const claim = claimOf(command)
  const owner = claim === null ? undefined : given.ownerOf(claim)
  if (owner === undefined) return null
  const { tenant_id, kind } = command
  const made = given.get(kind, tenant_id, owner) as GroupRecord | null | undefined
  if (made === undefined) return need([{ kind, tenant_id, id: owner }])
  const group = present(made, 'what was made for a key is there')
  const isOther = command.isFreshId !== true && command.id !== owner
  const isElsewhere = group.kind === 'workstream' && group.run_id !== command.run_id
  return isOther || isElsewhere ? refuseOtherUse(command, owner) : change(group, {})
}

function refuseOtherUse({ kind, request_key }: CreateGroup, owner: string): Refused {
  return refuse({
    code: 'IDEMPOTENCY_CONFLICT',
    message: `The request key ${request_key} was used to make the ${kind} ${owner}`,
    field: 'request_key',
    next: `Use a new key for a new ${kind}, or send the same request again.`,
    details: { kind, id: owner },
  })
}

function move(command: MoveGroup, before: GroupRecord, given: Given): Decision<GroupRecord> {
  const { state } = command
  if (state === before.state || (command.through === true && isOver(before))) return change(before, {})
  const way = command.through === true ? pathOf(machineOf(before.kind), before.state, state) : null
  if (way !== null) return moved(command, before, way, given)
  if (!isEdge(machineOf(before.kind), before.state, state)) return refuseMove(command, before, given.now)
  return moved(command, before, [before.state, state], given)
}

/** What it is said to be at the end counts; until then it goes where its jobs go. */
function follow(command: FollowGroup, before: GroupRecord, given: Given): Decision<GroupRecord> {
  if (isOver(before)) return change(before, {})
  const target = targetOf(before, command.facts)
  const path = target === null ? null : pathOf(machineOf(before.kind), before.state, target)
  return path === null ? change(before, {}) : moved(command, before, path, given)
}

function moved(
  command: GroupCommand,
  before: GroupRecord,
  path: readonly string[],
  given: Given,
): Decision<GroupRecord> {
  const at = toIso(given.now)
  const state = path.at(-1) as string
  const ended = isTerminal(machineOf(before.kind), state)
  const after = {
    ...before,
    state,
    state_since: at,
    updated_at: at,
    completed_at: ended ? at : null,
    etag: '',
  } as GroupRecord
  const entry = groupEntry(command, before, path, given.now)
  return change(after, { puts: [after], audit: [entry] })
}

/** What has ended stays as it is; that something was said of it is told all the same. */
function annotate(command: AnnotateGroup, before: GroupRecord, given: Given): Decision<GroupRecord> {
  const { metadata, event } = command
  const told = { ...metadata, ...(event === null ? null : { ...event }) }
  if (!isOver(before)) {
    return patched(command, before, given, { metadata: overlaid(before.metadata, metadata) }, told)
  }
  if (Object.keys(metadata).length > 0) return refuseMove(command, before, given.now)
  return change(before, { audit: [noted(command, before, given.now, told)] })
}

function patched(
  command: GroupCommand,
  before: GroupRecord,
  given: Given,
  patch: Partial<Pick<GroupRecord, 'sealed' | 'metadata'>>,
  told: JsonObject,
): Decision<GroupRecord> {
  const after: GroupRecord = { ...before, ...patch, updated_at: toIso(given.now), etag: '' }
  return change(after, { puts: [after], audit: [noted(command, before, given.now, told)] })
}

function noted(command: GroupCommand, { state }: GroupRecord, now: number, metadata: JsonObject): AuditEntry {
  const { tenant_id, kind, id, actor, reason } = command
  const path = [state, state]
  return steeringEntry(
    { event: 'noted', tenant_id, kind, id, path, adapter: '', metadata, actor, reason },
    now,
    undefined,
  )
}

function isOver({ kind, state }: GroupRecord): boolean {
  return isTerminal(machineOf(kind), state)
}

function machineOf(kind: GroupKind): Machine<string> {
  return machines[kind] as Machine<string>
}

function notFound({ kind, id }: GroupCommand): Refused {
  return refuse({
    code: 'NOT_FOUND',
    message: `The ${kind} ${id} is not known here`,
    field: `${kind}_id`,
    next: `Check the id and the tenant; make one with ledger.${kind}s.create, or submit a job that names it.`,
    details: { kind, id },
  })
}

function refuseExisting({ kind, id }: GroupCommand): Refused {
  return refuse({
    code: 'RUN_EXISTS',
    message: `There is a ${kind} ${id} already`,
    field: `${kind}_id`,
    next: 'Leave the id out to get a fresh one, or use the one there is.',
    details: { kind, id },
  })
}

function refuseMove(command: MoveGroup | AnnotateGroup, before: GroupRecord, now: number): Refused {
  const { kind, id } = command
  const to = command.type === 'moveGroup' ? command.state : before.state
  const legal = [...nextStates(machineOf(kind), before.state)]
  return refuse(
    {
      code: 'INVALID_STATE_TRANSITION',
      message: `The ${kind} ${id} is ${before.state} and cannot ${command.type === 'moveGroup' ? `become ${to}` : 'be changed'}`,
      field: command.type === 'moveGroup' ? 'state' : 'metadata',
      next:
        legal.length > 0
          ? `From ${before.state} it may go to: ${legal.join(', ')}.`
          : `${before.state} is final: nothing follows.`,
      details: { kind, id, from: before.state, to, legal },
    },
    refusalEntry(command, before, to, now, 'INVALID_STATE_TRANSITION'),
  )
}

function refuseStale(command: GroupCommand, before: GroupRecord | null, now: number): Refused {
  const { kind, id, if_match } = command
  return refuse(
    {
      code: 'STALE_ETAG',
      message: `The ${kind} ${id} has changed since etag ${if_match} was read`,
      field: 'if_match',
      next: 'Read it again, look at what changed, and repeat the command with the new etag.',
      details: { kind, id, etag: before?.etag ?? null },
    },
    before === null ? null : refusalEntry(command, before, before.state, now, 'STALE_ETAG'),
  )
}

function refusalEntry(
  command: GroupCommand,
  { state }: GroupRecord,
  to: string,
  now: number,
  refusal: string,
): AuditEntry {
  const { tenant_id, kind, id, actor, reason, type } = command
  const metadata = { refusal, command: type }
  const path = [state, to]
  return steeringEntry(
    { event: 'refused', tenant_id, kind, id, path, adapter: '', metadata, actor, reason },
    now,
    undefined,
  )
}
