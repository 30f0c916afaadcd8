import type { AuditRecord } from '../core/audit.ts'
import type { GroupKind, GroupRecord } from '../core/group/commands.ts'
import { isTerminal, type Machine, statesOf } from '../core/machine.ts'
import { machines } from '../core/machines/all.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { World } from '../world/world.ts'
import { BUSY, type Service } from './service.ts'
import { WakefulLoop } from './wakeful-loop.ts'

/** While there is news, it is looked at least so often whether there are runs or workstreams that are open. */
const LOOKS_AFTER_MS = 1000

const KINDS = ['run', 'workstream'] as const satisfies readonly GroupKind[]

/** A run or workstream that is open. */
interface Followed {
  readonly kind: GroupKind
  readonly tenant_id: string
  readonly id: string
  state: string
  /** One of its jobs that is open: until that has ended, it cannot end either. */
  witness: string | null
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

  /** What has happened by now is not left for later. */
  async stop(): Promise<void> {
    if (this.#loop.isStopped) return
    await this.#loop.stop()
    await this.#stopWatching()
    await this.#catchUp().catch((error: unknown) =>
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
      this.#startWatching()
      await this.#lookAtAll()
    }
    await this.#followDue()
    if (this.#followed.size === 0) await this.#stopWatching()
    return null
  }

  async #catchUp(): Promise<void> {
    if (!this.#hasNews || !(await this.#isAnyOpen())) return
    await this.#lookAtAll()
    await this.#followDue()
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
      for await (const group of this.#ledger.openGroups(kind, openStates(kind))) this.#add(group)
    }
  }

  #add(group: GroupRecord): void {
    const { kind, tenant_id, state } = group
    const id = group.kind === 'run' ? group.run_id : group.workstream_id
    const name = nameOf(kind, tenant_id, id)
    this.#followed.set(name, { kind, tenant_id, id, state, witness: null })
    this.#due.add(name)
  }

  async #followDue(): Promise<void> {
    // A workstream ends before its run, where both do.
    const names = [...this.#due].sort((a, b) => (a < b ? 1 : -1))
    for (const name of names) {
      this.#due.delete(name)
      const group = this.#followed.get(name)
      if (group !== undefined) await this.#follow(name, group)
    }
  }

  async #follow(name: string, group: Followed): Promise<void> {
    const { kind, tenant_id, id } = group
    const groups = kind === 'run' ? this.#ledger.runs : this.#ledger.workstreams
    const { record, witness } = await groups.followed(id, tenant_id)
    group.state = record.state
    group.witness = witness
    if (isTerminal(machines[kind] as Machine<string>, record.state)) this.#followed.delete(name)
  }

  #startWatching(): void {
    const end = new AbortController()
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
    for await (const record of this.#ledger.events({ signal })) {
      if (this.#concerns(record)) this.#loop.wake()
    }
  }

  /** Notes what is to be followed because of it; answers whether anything is. */
  #concerns(record: AuditRecord): boolean {
    const { kind, tenant_id, id, metadata } = record
    const before = this.#due.size
    if (kind === 'job') {
      this.#jobMoved('run', tenant_id, metadata.run_id, record)
      this.#jobMoved('workstream', tenant_id, metadata.workstream_id, record)
    } else if (kind === 'run' && metadata.sealed === true) {
      // Its workstreams take no more jobs either.
      for (const [name, group] of this.#followed) if (group.kind === 'workstream') this.#due.add(name)
      this.#due.add(nameOf('run', tenant_id, id))
    } else if (kind === 'run' || kind === 'workstream') {
      const group = this.#followed.get(nameOf(kind, tenant_id, id))
      if (group !== undefined) group.state = record.new_state
      if (metadata.sealed === true) this.#due.add(nameOf(kind, tenant_id, id))
    }
    return this.#due.size > before
  }

  #jobMoved(kind: GroupKind, tenant_id: string, id: unknown, record: AuditRecord): void {
    if (typeof id !== 'string') return
    const name = nameOf(kind, tenant_id, id)
    const group = this.#followed.get(name)
    if (group === undefined) {
      this.#followed.set(name, { kind, tenant_id, id, state: '', witness: null })
      this.#due.add(name)
    } else if (group.state !== 'running' || group.witness === null || group.witness === record.job_id) {
      this.#due.add(name)
    }
  }
}

function openStates(kind: GroupKind): readonly string[] {
  const machine = machines[kind] as Machine<string>
  return statesOf(machine).filter((state) => !isTerminal(machine, state))
}

function nameOf(kind: GroupKind, tenant_id: string, id: string): string {
  return `${kind}\n${tenant_id}\n${id}`
}
