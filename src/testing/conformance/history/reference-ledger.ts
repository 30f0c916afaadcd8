import assert from 'node:assert/strict'
import {
  type AggregateKind,
  type AggregateOf,
  idOf,
  type LedgerRecord,
  type RecordKey,
} from '../../../core/aggregate.ts'
import {
  type AuditEntry,
  type AuditRecord,
  expandHop,
  hopsOf,
  isQuiet,
  REFUSALS_KEPT_PER_RECORD,
} from '../../../core/audit.ts'
import type { Accepted, Change, Decision, Given, Refused, SlotChange } from '../../../core/decision.ts'
import type { StepRecord } from '../../../core/job/record.ts'
import type { RecordKind } from '../../../core/machines/all.ts'

/** A record of the history without the place that only the engine can give it. */
export type Told = Omit<AuditRecord, 'seq' | 'cursor'>

/** What the store told the decision that it wrote in the end. */
export interface Facts {
  readonly now: number
  readonly ids: readonly string[]
}

/**
 * What a store has to do, done in the plainest way there is: maps and lists, searched from end to end. It shares
 * the kernel with the stores, since the kernel is what they serve, and nothing else.
 */
export class ReferenceLedger {
  readonly records = new Map<string, LedgerRecord>()
  readonly log: Told[] = []
  readonly #claims = new Map<string, string>()
  /** Until when each owner holds one. */
  readonly #slots = new Map<string, ReadonlyMap<string, number>>()
  readonly #kept = new Map<string, number>()

  /** Decides as the store had to: with what is here, and with the time and ids that the store used. */
  decide<A>(facts: Facts, decide: (given: Given) => Decision<A>): Accepted<A> | Refused {
    const full = new Set<string>()
    for (;;) {
      let used = 0
      const ids = { next: () => facts.ids[used++] ?? `unused-${used}` }
      const decision = decide(this.#given(facts.now, ids, full))
      assert(decision.kind !== 'need', 'everything is loaded')
      const slot = decision.kind === 'change' ? this.#fullSlot(decision.change.slots, facts.now) : undefined
      if (slot === undefined) {
        assert.equal(used, facts.ids.length, 'the store decided the same, with as many ids')
        return decision
      }
      assert(!full.has(slot), 'a decision does not ask twice for a full slot')
      full.add(slot)
    }
  }

  write(decision: Accepted<unknown> | Refused): void {
    if (decision.kind === 'refusal') {
      if (decision.audit !== null) this.#tell(decision.audit)
      return
    }
    this.#write(decision.change)
  }

  /** Who holds a slot at a time, and until when. */
  held(tenant_id: string, key: string, now: number): readonly (readonly [owner: string, until: number])[] {
    return [...(this.#slots.get(nameOf('slot', tenant_id, key)) ?? [])].filter(([, until]) => until > now)
  }

  get(kind: RecordKind, tenant_id: string, id: string): LedgerRecord | null {
    return this.records.get(nameOf(kind, tenant_id, id)) ?? null
  }

  load<K extends AggregateKind>({ kind, tenant_id, id }: RecordKey<K>): AggregateOf[K] | null {
    const root = this.get(kind, tenant_id, id)
    if (root?.kind !== 'job') return root as AggregateOf[K] | null
    const parts = [...this.records.values()].filter(
      (part) => part.tenant_id === tenant_id && 'job_id' in part && part.job_id === id,
    )
    const steps = parts.filter((part): part is StepRecord => part.kind === 'step')
    return {
      job: root,
      steps: steps.sort((a, b) => a.step_index - b.step_index),
      outbox: parts.filter((part) => part.kind === 'outbox' && part.state === 'PENDING'),
    } as unknown as AggregateOf[K]
  }

  #given(now: number, ids: Given['ids'], full: ReadonlySet<string>): Given {
    return {
      now,
      ids,
      get: (kind, tenant_id, id) => this.load({ kind, tenant_id, id }),
      ownerOf: ({ tenant_id, key }) => this.#claims.get(nameOf('claim', tenant_id, key)),
      isFull: ({ tenant_id, key }) => full.has(nameOf('slot', tenant_id, key)),
    }
  }

  #write({ puts, audit, claims, slots }: Change): void {
    for (const put of puts) this.records.set(nameOf(put.kind, put.tenant_id, idOf(put)), put)
    for (const { tenant_id, key, owner } of claims) {
      const name = nameOf('claim', tenant_id, key)
      assert.equal(this.#claims.get(name) ?? owner, owner, 'a claim has one owner')
      this.#claims.set(name, owner)
    }
    for (const slot of slots) this.#slots.set(...this.#after(slot))
    for (const entry of audit) this.#tell(entry)
  }

  /** The slot that cannot be taken when the changes are made one after the other. */
  #fullSlot(changes: readonly SlotChange[], now: number): string | undefined {
    const before = new Map(this.#slots)
    try {
      for (const change of changes) {
        const holders = this.held(change.tenant_id, change.key, now)
        const isHeld = holders.some(([owner]) => owner === change.owner)
        const [name, owners] = this.#after(change)
        if (change.verb === 'take' && !isHeld && holders.length >= change.max) return name
        this.#slots.set(name, owners)
      }
      return undefined
    } finally {
      for (const [name] of this.#slots) this.#slots.set(name, before.get(name) ?? new Map())
    }
  }

  #after(change: SlotChange): [string, ReadonlyMap<string, number>] {
    const name = nameOf('slot', change.tenant_id, change.key)
    const owners = new Map(this.#slots.get(name))
    if (change.verb === 'take') owners.set(change.owner, change.until ?? Number.POSITIVE_INFINITY)
    else owners.delete(change.owner)
    return [name, owners]
  }

  #tell(entry: AuditEntry): void {
    if (isQuiet(entry.event)) {
      const name = nameOf(entry.kind, entry.tenant_id, entry.id)
      const kept = this.#kept.get(name) ?? 0
      if (kept === REFUSALS_KEPT_PER_RECORD) return
      this.#kept.set(name, kept + 1)
    }
    for (let hop = 0; hop < hopsOf(entry); hop++) {
      const { seq, cursor, ...told } = expandHop(entry, hop, 0)
      this.log.push(told)
    }
  }
}

export function nameOf(kind: string, tenant_id: string, id: string): string {
  return JSON.stringify([kind, tenant_id, id])
}
