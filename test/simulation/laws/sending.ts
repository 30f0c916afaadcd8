import type { AuditEntry } from '../../../src/core/audit.ts'
import type { OutboxRecord } from '../../../src/core/job/record.ts'
import { fromIso } from '../../../src/core/time.ts'
import { law } from '../law-broken.ts'
import type { Commit, Shadow } from '../shadow.ts'

export const DISPATCHER = 'dispatcher'

/** Within this a dispatcher has written down what it was told, unless something is wrong. */
const ENOUGH_MS = 2000

/** Whom callbacks are from: the service, by the lease that it speaks for. */
export function serviceActor(lease_id: string): string {
  return `service:${lease_id}`
}

/** A row is SENT only when the broker took it, or when whoever got it says so; and what the broker said is written down. */
export class Sending {
  /** Directives that the broker has said it took. */
  readonly #taken = new Set<string>()
  /** Publishes that it refused, by row and try, and that the dispatcher is bound to tell of. */
  readonly #refused = new Map<string, { readonly code: string; readonly at: number }>()
  /** Leases whose directive has reached its service. */
  readonly #arrived = new Set<string>()

  took(outbox_id: string): void {
    this.#taken.add(outbox_id)
  }

  refused(outbox_id: string, tries: number, code: string, at: number): void {
    this.#refused.set(`${outbox_id} ${tries}`, { code, at })
  }

  arrived(lease_id: string): void {
    this.#arrived.add(lease_id)
  }

  /** The process died, or could not write: it is not bound to anything any more. */
  forgive(): void {
    this.#refused.clear()
  }

  readonly check = (shadow: Shadow, { change }: Commit): void => {
    for (const put of change.puts) {
      if (put.kind !== 'outbox') continue
      const entry = change.audit.find(({ kind, id }) => kind === 'outbox' && id === put.outbox_id)
      if (put.state === 'SENT') this.#checkSent(put, entry)
      else this.#checkRefused(shadow, put, entry)
    }
  }

  #checkSent({ outbox_id, lease_id }: OutboxRecord, entry: AuditEntry | undefined): void {
    const actor = entry?.actor
    const proven = actor === serviceActor(lease_id) && this.#arrived.has(lease_id)
    const published = actor === DISPATCHER && this.#taken.has(outbox_id)
    law(proven || published, () => `row ${outbox_id} is SENT by ${actor}, and nobody took it`)
  }

  #checkRefused(shadow: Shadow, put: OutboxRecord, entry: AuditEntry | undefined): void {
    const before = shadow.before(put) as OutboxRecord | undefined
    if (before === undefined || before.taken_until === null || put.taken_until !== null) return
    const refused = this.#refused.get(`${put.outbox_id} ${before.tries}`)
    const said = entry?.error_type
    // It may have been taken long before it was published, where that takes several writes.
    const isInTime = refused !== undefined && fromIso(before.taken_until) - refused.at >= ENOUGH_MS
    law(
      !isInTime || said !== 'PUBLISH_TIMEOUT',
      () =>
        `row ${put.outbox_id} was refused by the broker with ${refused?.code}, and its history says ${said}`,
    )
  }
}
