import { nameOfKey, type RecordKey } from '../core/aggregate.ts'
import type { AuditEntry } from '../core/audit.ts'
import { type Answers, decideBatch } from '../core/batch.ts'
import { type Answer, type Command, decide, keyOf } from '../core/command.ts'
import { type Decision, type Given, refuse } from '../core/decision.ts'
import type { AnswerOf, JobCommand } from '../core/job/commands.ts'
import { decideJob } from '../core/job/decide.ts'
import type { Refusal } from '../core/refusal.ts'
import { InvalidInput, Unsupported } from '../errors/input-errors.ts'
import { errorOf } from '../errors/refusal-errors.ts'
import type { Decided, Outcome, Store, Sweep } from '../store/store.ts'
import type { Logger } from '../world/logger.ts'

/** Most commands a batch may hold: it is one write, and everybody else waits for it. */
const LARGEST_BATCH = 1000

/** The one way in: command → decision → commit. A refusal comes out as the exception of its code. */
export class Committer {
  readonly store: Store
  readonly #logger: Logger
  readonly #observe: Observe | null
  readonly #steered = new Set<OnSteered>()

  constructor(store: Store, logger: Logger, observe: Observe | null = null) {
    this.store = store
    this.#logger = logger
    this.#observe = observe
  }

  /**
   * Not async: this is the way of every single change, and each layer of promises is felt. Nor is there a function
   * that waits with it: it would keep the command in memory until the change is durable.
   */
  run<C extends Command>(command: C): Promise<Answer<C>> {
    return this.runAs(command, asItIs)
  }

  /** The same, with the answer made into something else on the way. */
  runAs<C extends Command, A>(command: C, as: (answer: Answer<C>) => A): Promise<A> {
    try {
      if (this.#isTold(command)) return this.#told(command).then(as)
      const decideOn = (given: Given) => decide(command, given)
      const decided = this.store.decideNow?.(decideOn) ?? null
      if (decided !== null) return this.#whenDurable(decided, as)
      return this.#whenWritten(this.store.transact([keyOf(command)], decideOn), as)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #whenDurable<B, A>({ outcome, durable }: Decided<B>, as: (answer: B) => A): Promise<A> {
    return (durable ?? NOTHING_TO_WAIT_FOR).then(() => as(this.#answerOf(outcome)))
  }

  #whenWritten<B, A>(written: Promise<Outcome<B>>, as: (answer: B) => A): Promise<A> {
    return written.then((outcome) => as(this.#answerOf(outcome)))
  }

  /** Somebody wants to know of it. */
  #isTold({ type }: Command): boolean {
    return this.#observe !== null || type === 'cancelJob' || type === 'expediteJob'
  }

  /** Calls back after somebody cancelled or expedited a job here: whoever works on it should know at once. */
  onSteered(listener: OnSteered): () => void {
    this.#steered.add(listener)
    return () => {
      this.#steered.delete(listener)
    }
  }

  async #told<C extends Command>(command: C): Promise<Answer<C>> {
    const answer = await this.#observed(
      () => [keyOf(command)],
      (given) => decide(command, given),
    )
    this.#tellSteered([command])
    return answer
  }

  #tellSteered(commands: readonly Command[]): void {
    for (const command of commands) {
      if (command.type !== 'cancelJob' && command.type !== 'expediteJob') continue
      for (const listener of this.#steered) listener(command)
    }
  }

  /** All commands or none; each sees what the ones before it did. */
  async runAll<const C extends readonly Command[]>(commands: C): Promise<Answers<C>> {
    if (!this.store.capabilities.batch) {
      throw new Unsupported('batches', 'Send the commands one by one, or use an engine with transactions.')
    }
    if (commands.length > LARGEST_BATCH) {
      throw new Unsupported(
        `batches of ${commands.length} commands`,
        `Split it: ${LARGEST_BATCH} is the most one batch may hold.`,
      )
    }
    commands.forEach(checkType)
    const keys = () => commands.map(keyOf)
    const answers = await this.#observed(keys, (given) => decideBatch(commands, given))
    this.#tellSteered(commands)
    return answers
  }

  /**
   * Finds work and runs a command on each piece. A record that contradicts itself is refused and logged, like
   * everything else that is refused here: it must not hold up the others.
   */
  async sweep<C extends JobCommand>(
    selector: Sweep,
    command: (key: RecordKey) => C,
  ): Promise<readonly AnswerOf[C['type']][]> {
    const told = new Map<string, readonly AuditEntry[]>()
    const swept = await this.store.sweep(selector, (key, given) => {
      const decision = guarded(command(key), given)
      if (this.#observe !== null) told.set(nameOfKey(key), toldBy(decision))
      return decision
    })
    if (this.#observe !== null) for (const { key } of swept) this.#observe(told.get(nameOfKey(key)) ?? [])
    const answers: AnswerOf[C['type']][] = []
    for (const { outcome } of swept) {
      if (outcome.ok) answers.push(outcome.answer)
      else if (outcome.refusal.code === 'BROKEN_RECORD') this.#logRefusal(outcome.refusal)
    }
    return answers
  }

  /** A decision may be called several times: what counts is the last one, when it is durable. */
  async #observed<A>(keys: () => readonly RecordKey[], decideOn: (given: Given) => Decision<A>): Promise<A> {
    if (this.#observe === null) {
      const decided = this.store.decideNow?.(decideOn) ?? null
      if (decided !== null) return this.#whenDurable(decided, asItIs)
      return this.#answerOf(await this.store.transact(keys(), decideOn))
    }
    let told: readonly AuditEntry[] = []
    const outcome = await this.store.transact(keys(), (given) => {
      const decision = decideOn(given)
      told = toldBy(decision)
      return decision
    })
    this.#observe(told)
    return this.#answerOf(outcome)
  }

  readonly #answerOf = <A>(outcome: Outcome<A>): A => {
    if (outcome.ok) return outcome.answer
    this.#logRefusal(outcome.refusal)
    throw errorOf(outcome.refusal)
  }

  #logRefusal({ code, message, details }: Refusal): void {
    this.#logger.warn({ code, details }, message)
  }
}

const NOTHING_TO_WAIT_FOR = Promise.resolve()

function asItIs<A>(answer: A): A {
  return answer
}

export type OnSteered = (job: { readonly tenant_id: string; readonly job_id: string }) => void

/** Is told what became durable. */
export type Observe = (entries: readonly AuditEntry[]) => void

function toldBy(decision: Decision<unknown>): readonly AuditEntry[] {
  if (decision.kind === 'change') return decision.change.audit
  return decision.kind === 'refusal' && decision.audit !== null ? [decision.audit] : []
}

function guarded<C extends JobCommand>(command: C, given: Given): Decision<AnswerOf[C['type']]> {
  try {
    return decideJob(command, given)
  } catch (error) {
    const { tenant_id, job_id } = command
    return refuse({
      code: 'BROKEN_RECORD',
      message: `${command.type} cannot go on with job ${job_id}: ${(error as Error).message}`,
      next: 'Look at its history and report what you found: the rules never write such a job.',
      details: { tenant_id, job_id },
    })
  }
}

const COMMAND_TYPES: { readonly [T in Command['type']]: true } = {
  updateDocument: true,
  importDocuments: true,
  submitJob: true,
  takeOutbox: true,
  recordSent: true,
  recordPublishFailure: true,
  claimStep: true,
  ackStep: true,
  heartbeatStep: true,
  reportResult: true,
  releaseStep: true,
  cancelJob: true,
  expediteJob: true,
  runAgain: true,
  annotateJob: true,
  reportStage: true,
  createGroup: true,
  moveGroup: true,
  sealGroup: true,
  annotateGroup: true,
  followGroup: true,
  advanceJob: true,
  steerQueue: true,
  putSchedule: true,
  moveSchedule: true,
  fireSchedule: true,
  mintToken: true,
  revokeToken: true,
}

/** A batch is put together by the caller, who may not have a compiler. */
function checkType(command: Command, nth: number): void {
  if (Object.hasOwn(COMMAND_TYPES, command.type)) return
  const next = 'Make commands with the methods of the object that batch hands you.'
  throw new InvalidInput(`commands[${nth}].type`, `${JSON.stringify(command.type)} is not a command`, next)
}
