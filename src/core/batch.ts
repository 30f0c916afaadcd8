import {
  type AggregateKind,
  type AggregateOf,
  applyToJob,
  idOf,
  isJobPart,
  type JobPart,
  type LedgerRecord,
  placeInChange,
} from './aggregate.ts'
import type { AuditEntry } from './audit.ts'
import { batchOrder } from './batch-order.ts'
import { type Answer, type Command, decide } from './command.ts'
import {
  type Change,
  type Claim,
  type ClaimKey,
  change,
  type Decision,
  type Given,
  type Refused,
  refuse,
  type Signal,
  type SlotChange,
} from './decision.ts'

/** The answer to each command, in the order of the commands. */
export type Answers<C extends readonly Command[]> = { readonly [I in keyof C]: Answer<C[I]> }

/**
 * Several commands as one change: each sees what the ones before it did, all are written or none. Submits are
 * put in the order of their dependencies first, so that a batch may name its own jobs in any order.
 */
export function decideBatch<const C extends readonly Command[]>(
  commands: C,
  given: Given,
): Decision<Answers<C>> {
  const { order, circle } = batchOrder(commands)
  if (circle !== undefined) return refuseCircle(circle)
  const sofar = new Overlay(given)
  const answers = new Array<unknown>(commands.length)
  for (const index of order) {
    const decision = decide(commands[index] as Command, sofar)
    if (decision.kind !== 'change') return decision
    answers[index] = decision.answer
    sofar.add(decision.change)
  }
  return change(answers as Answers<C>, sofar.change())
}

/** What is given, with the changes of the batch so far laid over it. */
class Overlay implements Given {
  readonly #given: Given
  readonly #aggregates = new Map<string, AggregateOf[AggregateKind]>()
  readonly #puts = new Map<string, LedgerRecord>()
  readonly #claims = new Map<string, Claim>()
  readonly #audit: AuditEntry[] = []
  readonly #slots: SlotChange[] = []
  readonly #signals: Signal[] = []

  constructor(given: Given) {
    this.#given = given
  }

  get now() {
    return this.#given.now
  }

  get ids() {
    return this.#given.ids
  }

  get<K extends AggregateKind>(kind: K, tenant_id: string, id: string): AggregateOf[K] | null | undefined {
    const changed = this.#aggregates.get(keyString(kind, tenant_id, id)) as AggregateOf[K] | undefined
    return changed ?? this.#given.get(kind, tenant_id, id)
  }

  ownerOf(claim: ClaimKey): string | undefined {
    return this.#claims.get(claimString(claim))?.owner ?? this.#given.ownerOf(claim)
  }

  isFull(slot: { readonly tenant_id: string; readonly key: string }): boolean {
    return this.#given.isFull(slot)
  }

  add(part: Change): void {
    for (const put of part.puts) this.#puts.set(keyString(put.kind, put.tenant_id, idOf(put)), put)
    this.#audit.push(...part.audit)
    for (const claim of part.claims) this.#claims.set(claimString(claim), claim)
    this.#slots.push(...part.slots)
    this.#signals.push(...part.signals)
    this.#remember(part.puts)
  }

  #remember(puts: readonly LedgerRecord[]): void {
    for (const put of puts) {
      if (!isJobPart(put)) {
        this.#aggregates.set(keyString(put.kind, put.tenant_id, idOf(put)), put)
      }
    }
    // A command changes one job, and may make another.
    const parts = Map.groupBy(puts.filter(isJobPart), ({ tenant_id, job_id }) =>
      keyString('job', tenant_id, job_id),
    )
    for (const [name, own] of parts) {
      const { tenant_id, job_id } = own[0] as JobPart
      this.#aggregates.set(name, applyToJob(this.get('job', tenant_id, job_id) ?? null, own))
    }
  }

  change(): Change {
    return {
      puts: inLegalOrder([...this.#puts.values()]),
      audit: this.#audit,
      claims: [...this.#claims.values()],
      slots: this.#slots,
      signals: this.#signals,
    }
  }
}

/** As in every change of a job: whatever a later command added comes before the job, not after it. */
function inLegalOrder(puts: readonly LedgerRecord[]): readonly LedgerRecord[] {
  return puts.toSorted((a, b) => placeInChange(a) - placeInChange(b))
}

function keyString(kind: string, tenant_id: string, id: string): string {
  return `${kind}\n${tenant_id}\n${id}`
}

function claimString({ tenant_id, key }: ClaimKey): string {
  return `${tenant_id}\n${key}`
}

function refuseCircle(jobs: readonly string[]): Refused {
  return refuse({
    code: 'DEPENDENCY_CYCLE',
    message: `These jobs of the batch wait for each other: ${jobs.join(' → ')}`,
    field: 'depends_on',
    next: 'Break the circle: one of them must be able to start without the others.',
    details: { jobs },
  })
}
