import {
  type AggregateKind,
  type AggregateOf,
  type AloneRecord,
  applyToJob,
  idOf,
  isJobPart,
  type JobAggregate,
  type JobPart,
  type LedgerRecord,
  placeInChange,
  type RecordKey,
} from './aggregate.ts'
import type { AuditEntry } from './audit.ts'
import { batchOrder } from './batch-order.ts'
import { type Answer, type Command, decide } from './command.ts'
import {
  type AskedClaim,
  type Change,
  type Claim,
  type Decision,
  type Given,
  isNothing,
  need,
  type Refused,
  refuse,
  type Signal,
  type SlotChange,
} from './decision.ts'
import { IdMap } from './id-map.ts'
import { Birth, Births } from './job/birth.ts'

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
  const sofar = new Overlay(given, commands.length)
  const answers = new Array<unknown>(commands.length)
  const missing: RecordKey[] = []
  for (const index of order) {
    const decision = decide(commands[index] as Command, sofar)
    if (decision.kind === 'need') {
      // The others may need something as well, and are asked right away: each question is a trip to the database.
      missing.push(...decision.keys)
      continue
    }
    if (decision.kind === 'refusal') {
      // It may rest on what a command before it would have done.
      if (missing.length > 0) continue
      return decision
    }
    answers[index] = decision.answer
    sofar.add(decision.change)
  }
  if (missing.length > 0) return need(missing)
  return { kind: 'change', answer: answers as Answers<C>, change: sofar.change() }
}

/** What the batch has done so far to the records of one tenant. */
interface Touched {
  /** What changed of each job, in the order in which it did; or one that was just born. */
  readonly jobs: IdMap<JobPart[] | Birth>
  readonly others: Map<string, AloneRecord>
  /** By whom each claim is owned now: a new job, or the one of this id. */
  readonly owners: IdMap<Birth | string>
}

/**
 * What is given, with the changes of the batch so far laid over it. Most batches are many jobs that are submitted at once,
 * and none of their commands looks at what another one did: so this is put together only where somebody asks.
 */
class Overlay implements Given {
  readonly #given: Given
  readonly #tenants = new Map<string, Touched>()
  /** Of a job that was just born what is its own: there may be many, and nobody needs a change for each. */
  readonly #parts: (Change | Birth)[] = []
  /** All of it, as long as it is nothing but new jobs that are alike. */
  readonly #births: Birth[] = []
  /** How many of these can be found among the jobs: hardly ever does anybody look for one. */
  #found = 0
  readonly #commands: number
  /** Some record may have been changed by more than one command. */
  #isRepeated = false

  constructor(given: Given, commands: number) {
    this.#given = given
    this.#commands = commands
  }

  get now() {
    return this.#given.now
  }

  get ids() {
    return this.#given.ids
  }

  get<K extends AggregateKind>(kind: K, tenant_id: string, id: string): AggregateOf[K] | null | undefined {
    const touched = this.#tenants.get(tenant_id)
    if (touched === undefined) return this.#given.get(kind, tenant_id, id)
    if (kind !== 'job') {
      const changed = touched.others.get(otherName(kind, id)) as AggregateOf[K] | undefined
      return changed ?? this.#given.get(kind, tenant_id, id)
    }
    const parts = this.#jobs(touched).get(id)
    if (parts instanceof Birth) return parts as JobAggregate as AggregateOf[K]
    const before = this.#given.get(kind, tenant_id, id)
    return parts === undefined
      ? before
      : (applyToJob((before ?? null) as JobAggregate | null, parts) as AggregateOf[K])
  }

  ownerOf(claim: AskedClaim): string | undefined {
    const owner = this.#tenants.get(claim.tenant_id)?.owners.get(claim.key, claim.tail)
    if (owner === undefined) return this.#given.ownerOf(claim)
    return owner instanceof Birth ? owner.job_id : owner
  }

  isFull(slot: { readonly tenant_id: string; readonly key: string }): boolean {
    return this.#given.isFull(slot)
  }

  add(part: Change): void {
    // A request that was accepted before.
    if (part.births === undefined && isNothing(part) && part.audit.length === 0) return
    if (part.births !== undefined) {
      for (const birth of part.births) this.#bear(birth)
      return
    }
    this.#parts.push(part)
    for (const { tenant_id, key, owner } of part.claims) this.#of(tenant_id).owners.set(key, owner)
    for (const put of part.puts) this.#touch(put, part)
  }

  #bear(birth: Birth): void {
    this.#parts.push(birth)
    this.#births.push(birth)
    // It was asked for before, or there would be a job already.
    this.#of(birth.tenant_id).owners.addNew(birth.claim, birth, birth.claimTail)
  }

  #jobs({ jobs }: Touched): Touched['jobs'] {
    for (; this.#found < this.#births.length; this.#found++) {
      const birth = this.#births[this.#found] as Birth
      this.#of(birth.tenant_id).jobs.set(birth.job_id, birth)
    }
    return jobs
  }

  #touch(put: LedgerRecord, part: Change): void {
    const touched = this.#of(put.tenant_id)
    if (!isJobPart(put)) {
      const { others } = touched
      const name = otherName(put.kind, idOf(put))
      if (others.has(name)) this.#isRepeated = true
      others.set(name, put)
      return
    }
    const jobs = this.#jobs(touched)
    const parts = jobs.get(put.job_id)
    if (parts === undefined) jobs.set(put.job_id, [put])
    else if (parts instanceof Birth) {
      jobs.set(put.job_id, [...parts.steps, parts.job, put])
      this.#isRepeated = true
    } else {
      // What one command changes is in its change once.
      if (!part.puts.includes(parts[0] as JobPart)) this.#isRepeated = true
      parts.push(put)
    }
  }

  #of(tenant_id: string): Touched {
    let touched = this.#tenants.get(tenant_id)
    if (touched === undefined) {
      touched = { jobs: new IdMap(), others: new Map(), owners: new IdMap(this.#commands) }
      this.#tenants.set(tenant_id, touched)
    }
    return touched
  }

  change(): Change {
    if (this.#births.length > 0 && this.#births.length === this.#parts.length) return new Births(this.#births)
    const all = {
      puts: [] as LedgerRecord[],
      audit: [] as AuditEntry[],
      claims: [] as Claim[],
      slots: [] as SlotChange[],
      signals: [] as Signal[],
    }
    for (const part of this.#parts) {
      const { puts, audit, claims, slots, signals } = part instanceof Birth ? new Births([part]) : part
      for (const put of puts) all.puts.push(put)
      for (const entry of audit) all.audit.push(entry)
      for (const claim of claims) all.claims.push(claim)
      for (const slot of slots) all.slots.push(slot)
      for (const signal of signals) all.signals.push(signal)
    }
    return this.#isRepeated ? { ...all, puts: lastOfEach(all.puts) } : all
  }
}

/**
 * Each record as the last command left it, and in the order of every change: whatever a later command added comes before
 * the job, not after it. Where no command touched what another one had, one change after the other is such an order.
 */
function lastOfEach(puts: readonly LedgerRecord[]): readonly LedgerRecord[] {
  const last = new Map<string, LedgerRecord>()
  for (const put of puts) last.set(`${put.tenant_id}\n${otherName(put.kind, idOf(put))}`, put)
  return [...last.values()].sort((a, b) => placeInChange(a) - placeInChange(b))
}

function otherName(kind: string, id: string): string {
  return `${kind}\n${id}`
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
