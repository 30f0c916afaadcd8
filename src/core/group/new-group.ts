import { idOf } from '../aggregate.ts'
import { type AuditEntry, steeringEntry } from '../audit.ts'
import type { JsonObject } from '../json.ts'
import { toIso } from '../time.ts'
import type { GroupKind, GroupRecord } from './commands.ts'

interface ToMake {
  readonly tenant_id: string
  readonly kind: GroupKind
  readonly id: string
  readonly run_id: string | null
  readonly metadata: JsonObject
}

export function newGroup({ tenant_id, kind, id, run_id, metadata }: ToMake, now: number): GroupRecord {
  const at = toIso(now)
  const alike = {
    tenant_id,
    state: 'pending',
    state_since: at,
    sealed: false,
    metadata,
    created_at: at,
    updated_at: at,
    completed_at: null,
    etag: '',
  } as const
  return kind === 'run' ? { kind, run_id: id, ...alike } : { kind, workstream_id: id, run_id, ...alike }
}

/** What the history says of a move: of a workstream also its run. */
export function groupEntry(
  { actor, reason }: { readonly actor: string; readonly reason: string | null },
  group: GroupRecord,
  path: readonly (string | null)[],
  now: number,
): AuditEntry {
  const { tenant_id, kind } = group
  const id = idOf(group)
  const metadata = kind === 'run' ? {} : { run_id: group.run_id }
  const since = path[0] === null ? undefined : group.state_since
  return steeringEntry(
    { event: 'moved', tenant_id, kind, id, path, adapter: '', metadata, actor, reason },
    now,
    since,
  )
}
