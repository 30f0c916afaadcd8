import type {
  AnnotateGroup,
  CreateGroup,
  FollowGroup,
  GroupFacts,
  GroupKind,
  GroupState,
  MoveGroup,
  SealGroup,
} from '../core/group/commands.ts'
import type { JobEvent } from '../core/job/commands.ts'
import { EMPTY, type JsonObject } from '../core/json.ts'
import { isStateOf, type Machine, statesOf } from '../core/machine.ts'
import { machines } from '../core/machines/all.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { checkId } from './check-input.ts'
import type { Repeatable } from './command-options.ts'
import { keptMetadata } from './kept-metadata.ts'
import type { Redact } from './redact.ts'

/** Which run or workstream, and who asks for what reason. */
export interface ToGroup<K extends GroupKind = GroupKind> {
  readonly kind: K
  readonly id: string
  readonly tenant_id: string
  readonly actor: string
  readonly reason: string | null
  readonly if_match: string | undefined
}

/** Something that happened, for whoever follows the history. */
export interface EventInput {
  readonly event_type: string
  readonly payload?: JsonObject | undefined
}

interface NewGroup extends Repeatable {
  readonly isFreshId: boolean
  readonly run_id?: string | undefined
  readonly metadata?: JsonObject | undefined
}

export function createGroup<K extends GroupKind>(
  to: ToGroup<K>,
  { run_id, metadata, isFreshId, request_key }: NewGroup,
): CreateGroup & { readonly kind: K } {
  return {
    type: 'createGroup',
    ...to,
    isFreshId,
    request_key: request_key === undefined ? undefined : checkId('request_key', request_key),
    run_id: run_id === undefined ? null : checkId('run_id', run_id),
    metadata: metadata ?? EMPTY,
  }
}

export function moveGroup<K extends GroupKind>(
  to: ToGroup<K>,
  state: string,
  through: boolean,
): MoveGroup & { readonly kind: K } {
  const machine = machines[to.kind] as Machine<string>
  if (!isStateOf(machine, state)) {
    const next = `Use one of: ${statesOf(machine).join(', ')}.`
    throw new InvalidInput('state', `${state} is no state of a ${to.kind}`, next)
  }
  return { type: 'moveGroup', ...to, state: state as GroupState, through }
}

export function sealGroup<K extends GroupKind>(to: ToGroup<K>): SealGroup & { readonly kind: K } {
  return { type: 'sealGroup', ...to }
}

export function annotateGroup<K extends GroupKind>(
  to: ToGroup<K>,
  metadata: JsonObject,
  event: JobEvent | null,
): AnnotateGroup & { readonly kind: K } {
  return { type: 'annotateGroup', ...to, metadata, event }
}

export function followGroup<K extends GroupKind>(
  to: ToGroup<K>,
  facts: GroupFacts,
): FollowGroup & { readonly kind: K } {
  return { type: 'followGroup', ...to, facts }
}

export function eventOf({ event_type, payload }: EventInput, redact: Redact): JobEvent {
  return {
    event_type: checkId('event_type', event_type),
    payload: payload === undefined ? EMPTY : keptMetadata(payload, redact, 'payload'),
  }
}
