import { idOf, type LedgerRecord } from '../../../src/core/aggregate.ts'
import type { AuditEntry } from '../../../src/core/audit.ts'
import type { StepRecord } from '../../../src/core/job/record.ts'
import { GATE } from '../../../src/core/job/waiting.ts'
import { isEdge, isTerminal, type Machine, nextStates } from '../../../src/core/machine.ts'
import { machines } from '../../../src/core/machines/all.ts'
import { toIso } from '../../../src/core/time.ts'
import { changedAt } from '../../../src/store/query.ts'
import { law } from '../law-broken.ts'
import { type Commit, type Shadow, toldName } from '../shadow.ts'

/** What has ended is never written again, every write has a new etag, and states change along declared edges only. */
export function recordsAreSound(shadow: Shadow, commit: Commit): void {
  const { change, etag, at, isByRecord = false } = commit
  law(isByRecord || at >= shadow.now, () => `time goes on: it was ${toIso(shadow.now)} before ${toIso(at)}`)
  law(etag > shadow.etag, () => `etags grow: ${etag} came after ${shadow.etag}`)
  const told = new Map<string, string>()
  for (const entry of change.audit) if (entry.event === 'moved') follow(shadow, entry, told, change.puts)
  for (const put of change.puts) {
    const old = shadow.before(put)
    const name = `${put.kind} ${idOf(put)}`
    if (old !== undefined) law(!isFinal(old), () => `${name} had ended and was written again`)
    if (isByRecord) mustFollow(old, put)
    else law(Number(put.etag) === etag, () => `${name} has the etag ${put.etag}, its commit ${etag}`)
    const was = old?.state ?? machines[put.kind].initial
    const now = told.get(toldName({ ...put, id: idOf(put) })) ?? was
    law(put.state === now, () => `${name} is ${put.state} and its history says ${now}`)
  }
}

function mustFollow(old: LedgerRecord | undefined, put: LedgerRecord): void {
  if (old === undefined) return
  const name = `${put.kind} ${idOf(put)}`
  law(Number(put.etag) > Number(old.etag), () => `${name} had the etag ${old.etag}, and now ${put.etag}`)
  law(changedAt(put) >= changedAt(old), () => `${name} was changed before it was changed last`)
}

function follow(
  shadow: Shadow,
  entry: AuditEntry,
  told: Map<string, string>,
  puts: readonly LedgerRecord[],
): void {
  const isOver = isTakenOver(entry, puts)
  const name = toldName(entry)
  const known = told.get(name) ?? shadow.told.get(name) ?? firstState(entry)
  law(
    entry.path[0] === known || isOver,
    () => `${name} leaves ${entry.path[0]}, but its history left it ${known}`,
  )
  const machine = machines[entry.kind] as Machine<string>
  for (const [n, next] of entry.path.slice(1).entries()) {
    const from = entry.path[n] ?? null
    const isFirst = from === null && (next === machine.initial || isOver)
    const legal = isFirst || (from !== null && isEdge(machine, from, next as string))
    law(legal, () => `${name} went from ${from} to ${next}`)
  }
  told.set(name, entry.path.at(-1) as string)
}

/** A job that is run again from a step on takes over what the steps before it came to, or that a gate passed over them. */
function isTakenOver({ kind, id, path }: AuditEntry, puts: readonly LedgerRecord[]): boolean {
  const [from, to, ...more] = path
  if (kind !== 'step' || from !== null || more.length > 0) return false
  const step = puts.find((put) => put.kind === 'step' && idOf(put) === id) as StepRecord | undefined
  return to === 'SUCCEEDED' || (to === 'CANCELLED' && step?.last_error_code === GATE)
}

/** Some begin with nothing, others were there before anybody spoke of them. */
function firstState({ kind }: AuditEntry): string | null {
  return BORN.includes(kind) ? null : machines[kind].initial
}

const BORN: readonly AuditEntry['kind'][] = ['job', 'schedule', 'run', 'workstream', 'token']

/** A schedule that was removed may be put back, and a document that failed may be tried again. */
function isFinal({ kind, state }: LedgerRecord): boolean {
  const machine = machines[kind] as Machine<string>
  return kind !== 'schedule' && isTerminal(machine, state) && nextStates(machine, state).size === 0
}
