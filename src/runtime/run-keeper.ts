import { idOf } from '../core/aggregate.ts'
import type { AuditRecord } from '../core/audit.ts'
import type { GroupKind, GroupRecord } from '../core/group/commands.ts'
import { isTerminal, type Machine, openStatesOf } from '../core/machine.ts'
import { machines } from '../core/machines/all.ts'
import { NotFound } from '../errors/refusal-errors.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Cursor } from '../store/query.ts'
import { START } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { BUSY, type Service } from './service.ts'
import { WakefulLoop } from './wakeful-loop.ts'

/** While there is news, it is looked at least so often whether there are runs or workstreams that are open. */
const LOOKS_AFTER_MS = 1000

/** Groups that are looked at by one that is about to end. */
const MOST_AT_LAST = 100

const LAST = 'although it is stopped'

const KINDS = ['run', 'workstream'] as const satisfies readonly GroupKind[]

/** A run or workstream that is open. */
interface Followed {
  readonly kind: GroupKind
  readonly tenant_id: string
  readonly id: string
  state: string
  /** One of its jobs that is open: until that has ended, it cannot end either. */
  witness: string | null
  /** While its jobs are being looked at: those that moved meanwhile. */
  moved: Set<string> | null
}

/**
 * Has runs and workstreams follow their jobs. What they have to do follows from how things are, not from what happened: after
 * a crash it looks at all that are open, once, and then follows the history. A ledger without any costs it nothing.
 */
export class RunKeeper implements Service {
  readonly name = 'run-keeper'
  readonly #ledger: Ledger
  readonly #world: World
  readonly #loop: WakefulLoop
  readonly #followed = new Map<string, Followed>()
  readonly #due = new Set<string>()
  /** Of those, the ones that were only found open: nothing was said of them since. There may be very many. */
  readonly #unheard = new Set<string>()
  /** How far the history was listened to. */
  #heardTo: Cursor = START
  #lookedAt = Number.NEGATIVE_INFINITY
  #hasNews = true
  #watch: { readonly end: AbortController; readonly done: Promise<void> } | null = null

  constructor(ledger: Ledger, world: World) {
    this.#ledger = ledger
    this.#world = world
    this.#loop = new WakefulLoop(this.name, world, () => this.#turn())
  }

  start(): void {
    this.#loop.start((wake) =>
      this.#ledger.onNews(() => {
        this.#hasNews = true
        if (this.#watch === null) wake()
      }),
    )
  }

  /** What has happened while it ran is not left for later; what it only found open is for whoever comes next. */
  async stop(): Promise<void> {
    if (this.#loop.isStopped) return
    await this.#loop.stop()
    const wasWatching = this.#watch !== null
    await this.#stopWatching()
    await this.#catchUp(wasWatching).catch((error: unknown) =>
      this.#world.logger.warn({ error }, 'Runs could not catch up with their jobs'),
    )
  }

  get isStopped(): boolean {
    return this.#loop.isStopped
  }

  get restsUntil(): number | null {
    return this.#due.size > 0 ? BUSY : this.#loop.restsUntil
  }

  onAsleep(listener: () => void): () => void {
    return this.#loop.onAsleep(listener)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #turn(): Promise<number | null> {
    if (this.#watch === null) {
      const now = this.#world.clock.now()
      const next = this.#lookedAt + LOOKS_AFTER_MS
      if (now < next && now >= this.#lookedAt) return this.#hasNews ? next : null
      this.#lookedAt = now
      this.#hasNews = false
      if (!(await this.#isAnyOpen())) return null
      // First, so that nothing happens between looking and following.
      await this.#startWatching()
      await this.#lookAtAll()
    }
    await this.#followDue()
    if (this.#followed.size > 0 || this.#loop.isStopped) return null
    await this.#stopWatching()
    // What was said of a new one while the last one was followed may not have been heard.
    return this.#hasNews ? this.#lookedAt + LOOKS_AFTER_MS : null
  }

  async #catchUp(wasWatching: boolean): Promise<void> {
    if (!this.#hasNews) return
    if (wasWatching) {
      for (const name of this.#unheard) this.#due.delete(name)
      for await (const record of this.#ledger.audit.records({ after: this.#heardTo })) this.#concerns(record)
    } else if (await this.#isAnyOpen()) {
      // There were none a moment ago, or it was never looked.
      await this.#lookAtAll()
    }
    await this.#followDue(LAST)
  }

  async #isAnyOpen(): Promise<boolean> {
    for (const kind of KINDS) {
      const counts = await this.#ledger.counts(kind)
      if (openStates(kind).some((state) => (counts[state] ?? 0) > 0)) return true
    }
    return false
  }

  async #lookAtAll(): Promise<void> {
    for (const kind of KINDS) {
      for await (const group of this.#ledger.openGroups(kind, openStates(kind))) {
        // While nobody followed it there may have been thousands; the first few will do for somebody who is leaving.
        if (this.#loop.isStopped && this.#due.size >= MOST_AT_LAST) return
        this.#add(group)
      }
    }
  }

  #add(group: GroupRecord): void {
    const { kind, tenant_id, state } = group
    const id = idOf(group)
    const name = nameOf(kind, tenant_id, id)
    // Something may have been said of it while the others were read.
    if (this.#followed.has(name)) return
    this.#begin(kind, tenant_id, id, state)
    this.#unheard.add(name)
  }

  #begin(kind: GroupKind, tenant_id: string, id: string, state: string): void {
    const name = nameOf(kind, tenant_id, id)
    this.#followed.set(name, { kind, tenant_id, id, state, witness: null, moved: null })
    this.#due.add(name)
  }

  async #followDue(last?: typeof LAST): Promise<void> {
    // A workstream ends before its run, where both do.
    const names = [...this.#due].sort((a, b) => (a < b ? 1 : -1))
    for (const name of names) {
      if (this.#loop.isStopped && last === undefined) return
      this.#due.delete(name)
      this.#unheard.delete(name)
      const group = this.#followed.get(name)
      try {
        if (group !== undefined) await this.#follow(name, group)
      } catch (error) {
        if (!(error instanceof NotFound)) {
          this.#due.add(name)
          throw error
        }
        // Jobs of older ledgers may name one that was never made.
        this.#followed.delete(name)
      }
    }
  }

  async #follow(name: string, group: Followed): Promise<void> {
    const { kind, tenant_id, id } = group
    const groups = kind === 'run' ? this.#ledger.runs : this.#ledger.workstreams
    const moved = new Set<string>()
    group.moved = moved
    const { record, witness } = await groups.followed(id, tenant_id)
    group.moved = null
    group.state = record.state
    group.witness = witness
    if (isOver(kind, record.state)) this.#followed.delete(name)
    else if (witness === null ? moved.size > 0 : moved.has(witness)) {
      // It moved on after it was looked at, and was not known to matter yet.
      this.#due.add(name)
      this.#loop.wake()
    }
  }

  async #startWatching(): Promise<void> {
    const end = new AbortController()
    for await (const { cursor } of this.#ledger.audit.records({ direction: 'desc', limit: 1 })) {
      this.#heardTo = cursor
      break
    }
    const done = this.#take(end.signal).catch((error: unknown) => {
      this.#world.logger.warn({ error, service: this.name }, 'The history could not be followed')
      this.#watch = null
      this.#loop.wake()
    })
    this.#watch = { end, done }
  }

  async #stopWatching(): Promise<void> {
    const watch = this.#watch
    if (watch === null) return
    this.#watch = null
    watch.end.abort()
    await watch.done
  }

  async #take(signal: AbortSignal): Promise<void> {
    for await (const record of this.#ledger.events({ after: this.#heardTo, signal })) {
      this.#heardTo = record.cursor
      if (this.#concerns(record)) this.#loop.wake()
    }
  }

  /** Notes what is to be followed because of it; answers whether anything is. */
  #concerns(record: AuditRecord): boolean {
    const { kind, tenant_id, id, metadata } = record
    const before = this.#due.size - this.#unheard.size
    if (kind === 'job') {
      this.#jobMoved('run', tenant_id, metadata.run_id, record)
      this.#jobMoved('workstream', tenant_id, metadata.workstream_id, record)
    } else if (kind === 'run' || kind === 'workstream') {
      this.#groupMoved(kind, tenant_id, id, record)
    }
    return this.#due.size - this.#unheard.size > before
  }

  #groupMoved(kind: GroupKind, tenant_id: string, id: string, { new_state, metadata }: AuditRecord): void {
    const name = nameOf(kind, tenant_id, id)
    const group = this.#followed.get(name)
    if (group !== undefined) group.state = new_state
    else if (!isOver(kind, new_state)) this.#begin(kind, tenant_id, id, new_state)
    if (metadata.sealed !== true) return
    this.#dueNow(name)
    if (kind === 'workstream') return
    // Its workstreams take no more jobs either.
    for (const [other, { kind: of }] of this.#followed) if (of === 'workstream') this.#dueNow(other)
  }

  #jobMoved(kind: GroupKind, tenant_id: string, id: unknown, record: AuditRecord): void {
    if (typeof id !== 'string') return
    const name = nameOf(kind, tenant_id, id)
    const group = this.#followed.get(name)
    if (record.job_id !== null) group?.moved?.add(record.job_id)
    if (group === undefined) {
      this.#begin(kind, tenant_id, id, '')
    } else if (group.state !== 'running' || group.witness === null || group.witness === record.job_id) {
      this.#dueNow(name)
    }
  }

  #dueNow(name: string): void {
    this.#due.add(name)
    this.#unheard.delete(name)
  }
}

function openStates(kind: GroupKind): readonly string[] {
  return openStatesOf(machines[kind] as Machine<string>)
}

function isOver(kind: GroupKind, state: string): boolean {
  return isTerminal(machines[kind] as Machine<string>, state)
}

function nameOf(kind: GroupKind, tenant_id: string, id: string): string {
  return `${kind}\n${tenant_id}\n${id}`
}
