// The page of state machines: a picture, the states with what they mean, and every edge.
import { isRetryable, isTerminal, type Machine, statesOf } from '../../src/core/machine.ts'
import { machines } from '../../src/core/machines/all.ts'
import { markdownTable } from './markdown-table.ts'
import { mermaidOf } from './mermaid.ts'

export function stateMachinesRegion(): string {
  const all = Object.values(machines) as Machine<string>[]
  return [overview(all), ...all.map(section)].join('\n\n')
}

function overview(all: readonly Machine<string>[]): string {
  const rows = all.map((machine) => {
    const terminal = statesOf(machine).filter((state) => isTerminal(machine, state))
    const numbers = [statesOf(machine).length, edgesOf(machine).length].map(String)
    return [`[${machine.name}](#${machine.name})`, ...numbers, list(terminal)]
  })
  return markdownTable(['Machine', 'States', 'Edges', 'Terminal states'], rows)
}

export function section<S extends string>(machine: Machine<S>): string {
  return [
    `## ${machine.name}`,
    `${statesOf(machine).length} states, ${edgesOf(machine).length} ${edgesOf(machine).length === 1 ? 'edge' : 'edges'}; a new record starts as \`${machine.initial}\`.`,
    `\`\`\`mermaid\n${mermaidOf(machine)}\n\`\`\``,
    stateTable(machine),
  ].join('\n\n')
}

function edgesOf<S extends string>(machine: Machine<S>): readonly (readonly [S, S])[] {
  return statesOf(machine).flatMap((from) => machine.states[from].to.map((to) => [from, to] as const))
}

function stateTable<S extends string>(machine: Machine<S>): string {
  const rows = statesOf(machine).map((state) => {
    const { about, to } = machine.states[state]
    return [`\`${state}\``, about, marksOf(machine, state), list(to)]
  })
  return markdownTable(['State', 'Meaning', 'Marks', 'May go to'], rows)
}

function marksOf<S extends string>(machine: Machine<S>, state: S): string {
  const marks = [
    state === machine.initial ? 'initial' : '',
    isTerminal(machine, state) ? 'terminal' : '',
    machine.states[state].retry === true ? 'retry' : '',
    isRetryable(machine, state) ? 'retryable' : '',
  ]
  return marks.filter((mark) => mark !== '').join(', ')
}

function list(states: readonly string[]): string {
  return states.length === 0 ? '—' : states.map((state) => `\`${state}\``).join(', ')
}
