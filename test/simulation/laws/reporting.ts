import type { AuditEntry } from '../../../src/core/audit.ts'
import { law } from '../law-broken.ts'
import { type Commit, nameOf, type Shadow } from '../shadow.ts'

/** A worker tells of an attempt once: what it says after that is ignored, and it should have known. */
export class Reporting {
  /** Who ended an attempt. */
  readonly #endedBy = new Map<string, string>()

  readonly check = (_: Shadow, { change }: Commit): void => {
    for (const { kind, event, actor, path, metadata } of change.audit) {
      if (kind !== 'step') continue
      const lease_id = String(metadata.lease_id)
      if (event === 'moved' && path.slice(1).some(isEnd)) this.#endedBy.set(lease_id, actor)
    }
  }

  /** Something was said of an attempt that was over. */
  ignored(shadow: Shadow, { tenant_id, job_id, id, actor, metadata }: AuditEntry): void {
    if (!actor.startsWith('worker-') || metadata.command !== 'reportResult') return
    const step_id = id.slice(id.lastIndexOf('/') + 1)
    const lease_id = shadow.step(nameOf(tenant_id, job_id as string), step_id)?.lease_id ?? ''
    law(this.#endedBy.get(lease_id) !== actor, () => `attempt ${lease_id} was reported twice by ${actor}`)
  }
}

function isEnd(state: string | null): boolean {
  return state === 'SUCCEEDED' || state === 'FAILED_RETRY' || state === 'FAILED_FINAL'
}
