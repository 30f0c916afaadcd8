import type {
  AnnotateGroup,
  CreateGroup,
  FollowGroup,
  GroupFacts,
  GroupKind,
  SealGroup,
} from '../../core/group/commands.ts'
import { TENANT } from './commands.ts'

const BY = { tenant_id: TENANT, actor: 'tester', reason: null } as const

export function createGroup(kind: GroupKind, id: string, more: Partial<CreateGroup> = {}): CreateGroup {
  return { type: 'createGroup', ...BY, kind, id, run_id: null, metadata: {}, ...more }
}

export function sealGroup(kind: GroupKind, id: string, more: Partial<SealGroup> = {}): SealGroup {
  return { type: 'sealGroup', ...BY, kind, id, ...more }
}

/** Something that happened to it. */
export function eventOf(kind: GroupKind, id: string, event_type: string): AnnotateGroup {
  return { type: 'annotateGroup', ...BY, kind, id, metadata: {}, event: { event_type, payload: {} } }
}

const NOTHING: GroupFacts = {
  started: false,
  open: false,
  ready: false,
  succeeded: false,
  failed: false,
  cancelled: false,
  sealed: false,
  run_sealed: false,
}

export function followGroup(
  kind: GroupKind,
  id: string,
  facts: Partial<GroupFacts>,
  more: Partial<FollowGroup> = {},
): FollowGroup {
  return { type: 'followGroup', ...BY, kind, id, facts: { ...NOTHING, ...facts }, ...more }
}
