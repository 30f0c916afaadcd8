import type { AggregateKind, AggregateOf, LedgerRecord, RecordKey } from './aggregate.ts'
import type { AuditEntry } from './audit.ts'
import type { Birth } from './job/birth.ts'
import type { Refusal } from './refusal.ts'

/**
 * What a decision may look at. A store fills it in and calls the decision again when it asked for more, or when
 * a claim or slot was answered otherwise than the decision hoped.
 */
export interface Given {
  /** The store's time, epoch milliseconds; never goes back. */
  readonly now: number
  readonly ids: IdSource
  /** The aggregate; null when there is none; undefined when it was not loaded: ask for it with `need`. */
  get<K extends AggregateKind>(kind: K, tenant_id: string, id: string): AggregateOf[K] | null | undefined
  /** Who owns a claim, as far as is known: a store that has to ask answers only after it was refused. */
  ownerOf(claim: AskedClaim): string | undefined
  /** True when the slot was asked for and refused. */
  isFull(slot: SlotKey): boolean
}

export interface IdSource {
  next(): string
}

/** A unique key with an owner: inserted, or answered with the owner there is. */
export interface Claim extends ClaimKey {
  readonly owner: string
}

export interface ClaimKey {
  readonly tenant_id: string
  readonly key: string
}

/** A claim that somebody asks about. */
export interface AskedClaim extends ClaimKey {
  /** What the key ends with, where that is at hand as a text of its own: stores may find it sooner by that. */
  readonly tail?: string | undefined
}

/**
 * One of a bounded number. Taking is refused when `max` owners hold one; both verbs are idempotent per owner. One that is
 * taken `until` a time (epoch milliseconds) is free again from then on, by itself.
 */
export type SlotChange =
  | (SlotKey & {
      readonly verb: 'take'
      readonly owner: string
      readonly max: number
      readonly until?: number
    })
  | (SlotKey & { readonly verb: 'release'; readonly owner: string })

export interface SlotKey {
  readonly tenant_id: string
  readonly key: string
}

/** A durable "advance these": everything whose `waits_for` names the topic, delivered after the commit, in pages. */
export interface Signal {
  readonly tenant_id: string
  readonly topic: string
}

/** Everything one commit writes. */
export interface Change {
  readonly puts: readonly LedgerRecord[]
  readonly audit: readonly AuditEntry[]
  readonly claims: readonly Claim[]
  readonly slots: readonly SlotChange[]
  readonly signals: readonly Signal[]
  /** New jobs that are alike, when there is nothing else: all of the above can be told from them. A store may do without it. */
  readonly births?: readonly Birth[] | undefined
  /** False when it asks for no claim and no slot, so that there is nothing that it could not have. */
  readonly takes?: boolean | undefined
}

export type Decision<A> = Accepted<A> | Needed | Refused

export interface Accepted<A> {
  readonly kind: 'change'
  readonly change: Change
  readonly answer: A
}

export interface Needed {
  readonly kind: 'need'
  readonly keys: readonly RecordKey[]
}

export interface Refused {
  readonly kind: 'refusal'
  readonly refusal: Refusal
  /** What the history keeps of it; null where there is no record to keep it with. */
  readonly audit: AuditEntry | null
}

const NONE: readonly never[] = Object.freeze([])

export function change<A>(answer: A, parts: Partial<Change>): Accepted<A> {
  return {
    kind: 'change',
    answer,
    change: {
      puts: parts.puts ?? NONE,
      audit: parts.audit ?? NONE,
      claims: parts.claims ?? NONE,
      slots: parts.slots ?? NONE,
      signals: parts.signals ?? NONE,
    },
  }
}

/** It writes no record and moves nothing. */
export function isNothing({ puts, claims, slots, signals }: Change): boolean {
  return puts.length === 0 && claims.length === 0 && slots.length === 0 && signals.length === 0
}

export function need(keys: readonly RecordKey[]): Needed {
  return { kind: 'need', keys }
}

export function refuse(refusal: Refusal, audit: AuditEntry | null = null): Refused {
  return { kind: 'refusal', refusal, audit }
}
