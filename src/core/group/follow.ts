import { type Machine, nextStates } from '../machine.ts'
import type { RunState } from '../machines/run.ts'
import type { WorkstreamState } from '../machines/workstream.ts'
import type { GroupFacts, GroupRecord } from './commands.ts'

/** Where its jobs take it; null when it stays where it is. */
export function targetOf(group: GroupRecord, facts: GroupFacts): string | null {
  // A job that was begun with and then cancelled does not tell any more that it was.
  const told = group.state === 'running' ? { ...facts, started: true } : facts
  const target = group.kind === 'run' ? runTarget(told) : workstreamTarget(told)
  return target === group.state ? null : target
}

function runTarget(facts: GroupFacts): RunState | null {
  if (facts.open || !facts.sealed) return facts.started ? 'running' : null
  if (facts.failed) return 'failed'
  return facts.cancelled ? 'cancelled' : 'succeeded'
}

function workstreamTarget(facts: GroupFacts): WorkstreamState | null {
  const isDone = !facts.open && (facts.sealed || facts.run_sealed)
  if (isDone && (facts.succeeded || facts.failed))
    return facts.failed || facts.cancelled ? 'failed' : 'succeeded'
  if (isDone) return facts.started ? 'failed' : 'skipped'
  if (facts.started) return 'running'
  if (!facts.open) return null
  return facts.ready ? 'ready' : 'blocked'
}

/** The shortest way from one state to another, both included; null when there is none. */
export function pathOf(machine: Machine<string>, from: string, to: string): readonly string[] | null {
  const ways: string[][] = [[from]]
  const seen = new Set([from])
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    const last = way.at(-1) as string
    for (const next of nextStates(machine, last)) {
      if (next === to) return [...way, next]
      if (seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return null
}
