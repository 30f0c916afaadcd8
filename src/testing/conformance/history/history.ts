import assert from 'node:assert/strict'
import { idOf, type LedgerRecord, type RecordKey } from '../../../core/aggregate.ts'
import { decideBatch } from '../../../core/batch.ts'
import { type Command, decide, keyOf } from '../../../core/command.ts'
import { type Decision, type Given, isNothing } from '../../../core/decision.ts'
import { decideJob } from '../../../core/job/decide.ts'
import type { RecordKind } from '../../../core/machines/all.ts'
import { pick, type ReadyHead, type WorkView } from '../../../core/pick.ts'
import { type Outcome, START, type Store, type Sweep } from '../../../store/store.ts'
import { onJob } from '../commands.ts'
import type { Follower } from '../follower.ts'
import type { Scene } from '../scene.ts'
import { advance } from '../work.ts'
import type { CommandIntent, Intent, WorkIntent } from './intents.ts'
import { commandOf, driveOf } from './interpret.ts'
import { observeAll, observeStep } from './observe.ts'
import { Recorder } from './recorder.ts'
import { type Facts, nameOf, ReferenceLedger, type Told } from './reference-ledger.ts'
import { dueIn, headsIn, jobsIn, nextDueIn, sortHeads, untoldIn } from './reference-reads.ts'
import { same, sameHistory } from './same.ts'
import { fromEnd, type Seen } from './seen.ts'
import { mustShow, type Span } from './shown-view.ts'

const QUEUES = { claim: ['read'], take: ['push:send', 'push:ocr', 'push:embedding'] } as const

/** Enough for a job of three steps to go from submit to success. */
const MOST_DRIVES = 9

/** More than a history has jobs to tell. */
const MOST_PAGES = 100

/**
 * One history, played on the store under test and on the reference at the same time. After every step everything
 * that a reader can see is compared.
 */
export class History {
  readonly #scene: Scene
  readonly #model = new ReferenceLedger()
  readonly #seen: Seen = { attempts: [], rows: [], etags: new Map() }
  readonly #touched = new Set<RecordKind>()
  #follower: Follower
  #cursor = START
  /** The store's time never goes back: not behind the last time it told, though the clock may be set back. */
  #lastTold = 0
  /** What was told but not written nobody can know who opens the store again. */
  #lastWritten = 0
  /** Nor is it ahead of the clock; but it may have looked at the clock before that was set back. */
  #latest: number

  constructor(scene: Scene) {
    this.#scene = scene
    this.#follower = scene.follow({ after: START })
    this.#latest = scene.world.clock.now()
  }

  async play(intents: readonly Intent[]): Promise<void> {
    for (const intent of intents) await this.#watched(() => this.#step(intent))
    await this.#watched(() => this.#deliverAll())
    await observeAll(this.#store, this.#model, this.#span)
  }

  /** Does something, then looks at all that it may have changed. */
  async #watched(act: () => Promise<void>): Promise<void> {
    const from = this.#model.log.length
    this.#touched.clear()
    await act()
    const told = this.#model.log.slice(from)
    await observeStep(this.#store, this.#model, { kinds: this.#touched, told, span: this.#span })
    await this.#follow(told)
  }

  get #store(): Store {
    return this.#scene.store
  }

  get #clock(): number {
    return this.#scene.world.clock.now()
  }

  /** What the store's time may be now. */
  get #span(): Span {
    return { from: this.#earliest, to: this.#latest }
  }

  get #earliest(): number {
    return Math.max(this.#lastTold, this.#clock)
  }

  async #step(intent: Intent): Promise<void> {
    switch (intent.what) {
      case 'batch':
        return this.#batch(intent.parts)
      case 'finish':
        return this.#finish(intent.job)
      case 'claim':
      case 'take':
        return this.#takeWork(intent)
      case 'due':
        return this.#fireTimers(intent.limit)
      case 'signalled':
        return void (await this.#deliver(intent.limit))
      case 'pass':
        return this.#pass(intent.ms)
      case 'pass to due': {
        const due = nextDueIn(this.#model) ?? 0
        return this.#pass(Math.max(due - this.#clock - (intent.early ? 1 : 0), 0))
      }
      case 'turn back':
        return this.#scene.world.clock.jumpTo(this.#clock - intent.ms)
      case 'maintain':
        return void (await this.#store.maintain())
      case 'reopen':
        return this.#reopen()
      default:
        return void (await this.#command(this.#commandOf(intent)))
    }
  }

  async #pass(ms: number): Promise<void> {
    await this.#scene.pass(ms)
    this.#latest = Math.max(this.#latest, this.#clock)
  }

  async #reopen(): Promise<void> {
    if (this.#scene.subject.reopen === undefined) return
    await this.#scene.reopen()
    this.#lastTold = this.#lastWritten
    this.#follower = this.#scene.follow({ after: this.#cursor })
  }

  #commandOf(intent: CommandIntent): Command {
    return commandOf(intent, this.#model, this.#seen, this.#clock)
  }

  #command(command: Command): Promise<boolean> {
    return this.#transact([command], (given) => decide(command, given))
  }

  async #finish(n: number): Promise<void> {
    const job = fromEnd(jobsIn(this.#model), n)
    for (let i = 0; job !== undefined && i < MOST_DRIVES; i++) {
      if (!(await this.#command(driveOf(job, this.#model)))) return
    }
  }

  async #batch(parts: readonly CommandIntent[]): Promise<void> {
    if (!this.#store.capabilities.batch) return
    const commands = parts.map((part) => this.#commandOf(part))
    await this.#transact(commands, (given) => decideBatch(commands, given))
  }

  /** Whether it was accepted. */
  async #transact(
    commands: readonly Command[],
    decide: (given: Given) => Decision<unknown>,
  ): Promise<boolean> {
    const recorder = new Recorder()
    const outcome = await this.#store.transact(commands.map(keyOf), (given) =>
      recorder.record('', given, decide),
    )
    const facts = recorder.facts.get('')
    assert(facts !== undefined, 'the store asked the decision')
    await this.#replay(facts, decide, outcome)
    return outcome.ok
  }

  async #takeWork({ what, limit }: WorkIntent): Promise<void> {
    const type = what === 'claim' ? 'claimStep' : 'takeOutbox'
    const queues = QUEUES[what]
    let shown: readonly ReadyHead[] = []
    let chosen: readonly ReadyHead[] = []
    const look = (heads: readonly ReadyHead[], view: WorkView) => {
      shown = sortHeads(heads)
      mustShow(view, this.#model, this.#span)
      chosen = pick(heads, { limit, running: new Map(), view }).chosen
      return chosen
    }
    const expected = headsIn(this.#model, queues, limit)
    const swept = await this.#sweep(
      { what: 'ready', queues, perGroup: limit, pick: look },
      ({ tenant_id, id }, given) => decideJob(onJob(type, id, { tenant_id }), given),
    )
    same(shown, expected, 'heads of ready work')
    same(swept.toSorted(), chosen.map(({ key }) => nameOfKey(key)).toSorted(), 'work that was chosen')
  }

  async #fireTimers(limit: number): Promise<void> {
    const surely = dueIn(this.#model, this.#earliest).length
    const due = dueIn(this.#model, this.#latest).map(({ tenant_id, job_id }) =>
      nameOf('job', tenant_id, job_id),
    )
    const swept = await this.#sweep({ what: 'due', limit }, advance)
    assert(
      swept.length >= Math.min(limit, surely),
      `${swept.length} of ${surely} that are due, limit ${limit}`,
    )
    assert(swept.length <= limit, 'a page of timers holds no more than its limit')
    for (const name of swept) assert(due.includes(name), `${name} is due`)
  }

  /** At least once means that anybody who ever waited may be told again; but in the end nobody is left out. */
  async #deliver(limit: number): Promise<number> {
    const waited = jobsIn(this.#model).filter(
      ({ depends_on, doc_id }) => depends_on.length > 0 || doc_id !== null,
    )
    const names = waited.map(({ tenant_id, job_id }) => nameOf('job', tenant_id, job_id))
    const swept = await this.#sweep({ what: 'signalled', limit }, advance)
    assert(swept.length <= limit, 'a page of signals holds no more than its limit')
    for (const name of swept) assert(names.includes(name), `${name} waited for something`)
    if (swept.length === 0) assert.deepEqual(untoldIn(this.#model), [], 'everybody was told')
    return swept.length
  }

  async #deliverAll(): Promise<void> {
    let pages = 0
    while ((await this.#deliver(100)) > 0) assert(++pages < MOST_PAGES, 'signals come to an end')
  }

  async #sweep(
    selector: Sweep,
    decide: (key: RecordKey, given: Given) => Decision<unknown>,
  ): Promise<readonly string[]> {
    const recorder = new Recorder()
    const swept = await this.#store.sweep(selector, (key, given) =>
      recorder.record(nameOfKey(key), given, (recorded) => decide(key, recorded)),
    )
    const byName = new Map(swept.map((each) => [nameOfKey(each.key), each]))
    assert.equal(byName.size, swept.length, 'nothing is swept twice in one page')
    for (const [name, facts] of recorder.facts) {
      const each = byName.get(name)
      assert(each !== undefined, `${name} was decided on, so it is in the answer`)
      await this.#replay(facts, (given) => decide(each.key, given), each.outcome)
    }
    return [...byName.keys()]
  }

  /** The reference decides on the same facts; what comes out must be the same, and is then written there too. */
  async #replay(
    facts: Facts,
    decide: (given: Given) => Decision<unknown>,
    outcome: Outcome<unknown>,
  ): Promise<void> {
    assert(facts.now >= this.#earliest, 'time does not go back')
    assert(facts.now <= this.#latest, 'time does not run ahead of the clock')
    this.#lastTold = facts.now
    const expected = this.#model.decide(facts, decide)
    if (expected.kind === 'refusal') {
      same(outcome, { ok: false, refusal: expected.refusal }, 'outcome')
    } else {
      for (const put of expected.change.puts) await this.#learnEtag(put)
      same(outcome, { ok: true, answer: expected.answer }, 'outcome')
    }
    const told = this.#model.log.length
    this.#model.write(expected)
    const isChange = expected.kind === 'change' && !isNothing(expected.change)
    if (isChange || this.#model.log.length > told) this.#lastWritten = facts.now
  }

  /** Etags are the store's own, but each change of a record has to bring one that the record never had. */
  async #learnEtag(put: LedgerRecord): Promise<void> {
    const id = idOf(put)
    const written = await this.#store.get({ kind: put.kind, tenant_id: put.tenant_id, id })
    const name = nameOf(put.kind, put.tenant_id, id)
    assert(written !== null, `${name} was written`)
    const known = this.#seen.etags.get(name) ?? []
    assert(!known.includes(written.etag), `${name} has a new etag, not ${written.etag} again`)
    assert.notEqual(written.etag, '', `${name} has an etag`)
    this.#seen.etags.set(name, [...known, written.etag])
    put.etag = written.etag
    this.#touched.add(put.kind)
    if (put.kind === 'step' && put.lease_id !== null) this.#remember(this.#seen.attempts, put, 'lease_id')
    if (put.kind === 'outbox') this.#remember(this.#seen.rows, put, 'outbox_id')
  }

  #remember<T>(items: T[], item: T, by: keyof T): void {
    if (!items.some((known) => known[by] === item[by])) items.push(item)
  }

  async #follow(told: readonly Told[]): Promise<void> {
    const records = await this.#follower.take(told.length)
    this.#cursor = records.at(-1)?.cursor ?? this.#cursor
    sameHistory(records, told, this.#store.capabilities.order, 'what a follower sees')
  }
}

function nameOfKey({ kind, tenant_id, id }: RecordKey): string {
  return nameOf(kind, tenant_id, id)
}
