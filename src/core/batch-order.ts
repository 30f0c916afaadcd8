import type { Command } from './command.ts'
import type { SubmitJob } from './job/commands.ts'

/** The order in which to decide the commands of a batch, or the jobs that wait for each other. */
export type BatchOrder =
  | { readonly order: readonly number[]; readonly circle?: never }
  | { readonly circle: readonly string[]; readonly order?: never }

/** Puts every submit after those it depends on; everything else keeps its place. */
export function batchOrder(commands: readonly Command[]): BatchOrder {
  // Nearly always.
  if (!commands.some(dependsOnOthers)) return { order: Array.from(commands.keys()) }
  const submits = new Map<string, number>()
  for (const [index, command] of commands.entries()) {
    if (command.type === 'submitJob') submits.set(nameOf(command, command.job_id), index)
  }
  const order: number[] = []
  const placed = new Set<number>()
  /** The submits being placed, each because the one before it depends on it. */
  const open: number[] = []
  const place = (index: number): readonly string[] | undefined => {
    if (placed.has(index)) return undefined
    const command = commands[index] as Command
    if (open.includes(index)) {
      // Jobs that only lead to the circle are not part of it.
      return open.slice(open.indexOf(index)).map((at) => (commands[at] as SubmitJob).job_id)
    }
    open.push(index)
    for (const id of command.type === 'submitJob' ? command.depends_on : []) {
      const earlier = submits.get(nameOf(command, id))
      // A job that depends on itself is refused by its own name when it is decided.
      const circle = earlier === undefined || earlier === index ? undefined : place(earlier)
      if (circle !== undefined) return circle
    }
    open.pop()
    placed.add(index)
    order.push(index)
    return undefined
  }
  for (const index of commands.keys()) {
    const circle = place(index)
    if (circle !== undefined) return { circle }
  }
  return { order }
}

function dependsOnOthers(command: Command): boolean {
  return command.type === 'submitJob' && command.depends_on.length > 0
}

/** Tenants may use the same ids. */
function nameOf({ tenant_id }: Command, job_id: string): string {
  return `${tenant_id}\n${job_id}`
}
