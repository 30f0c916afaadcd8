import { describe, expect, it } from 'vitest'
import { defineMachine, type Machine, statesOf } from '../../src/core/machine.ts'
import { machines } from '../../src/core/machines/all.ts'
import { mermaidOf } from './mermaid.ts'
import { replaceRegion } from './region.ts'
import { section, stateMachinesRegion } from './state-machines.ts'

const lamp = defineMachine({
  name: 'lamp',
  initial: 'off',
  states: {
    off: { about: 'Dark', tone: 'waiting', to: ['on'] },
    on: { about: 'Bright', tone: 'busy', to: ['flickering', 'broken'] },
    flickering: { about: 'About to be tried again', tone: 'retry', to: ['on'], retry: true },
    broken: { about: 'Gone', tone: 'bad', to: [], terminal: true },
  },
})

describe('the picture', () => {
  it('has the beginning, every edge and every end', () => {
    expect(
      mermaidOf(lamp)
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual([
      'stateDiagram-v2',
      '[*] --> off',
      'off --> on',
      'on --> flickering',
      'on --> broken',
      'flickering --> on',
      'broken --> [*]',
    ])
  })

  it('says of a state that goes everywhere just that', () => {
    const drawn = mermaidOf(machines.document)
    expect(drawn).toContain('note left of legacy : may go to every other state')
    expect(drawn).not.toContain('legacy -->')
  })

  it.each(['two words', 'end', 'Note', 'a-b', '1st'])(
    'refuses the name "%s", which would be misread',
    (name) => {
      const machine = {
        name: 'odd',
        initial: name,
        states: { [name]: { about: '', tone: 'busy', to: [] } },
      } as const
      expect(() => mermaidOf(machine)).toThrow(`State ${name} of the odd machine`)
    },
  )
})

describe('the page', () => {
  it('marks states and counts edges', () => {
    const page = section(lamp).replace(/ +/g, ' ')
    expect(page).toContain('4 states, 4 edges; a new record starts as `off`.')
    expect(page).toContain('| `off` | Dark | initial | `on` |')
    expect(page).toContain('| `on` | Bright | retryable | `flickering`, `broken` |')
    expect(page).toContain('| `broken` | Gone | terminal | — |')
  })

  it('describes every state of the machines', () => {
    const page = stateMachinesRegion().replace(/ +/g, ' ')
    for (const machine of Object.values(machines)) {
      expect(page).toContain(`\n## ${machine.name}\n`)
      for (const state of statesOf(machine as Machine<string>)) expect(page).toContain(`| \`${state}\` | `)
    }
  })

  it('keeps what was written by hand around it', () => {
    const page = 'Before.\n<!-- generated: x -->\n\nold\n\n<!-- end of generated: x -->\nAfter.\n'
    expect(replaceRegion(page, 'x', 'new')).toBe(page.replace('old', 'new'))
    expect(() => replaceRegion('Before.', 'x', 'new')).toThrow('has no "<!-- generated: x -->"')
  })
})
