import { describe, expect, it } from 'vitest'
import { placeAt, toolJob } from '../../../test/fixtures/tool-jobs.ts'
import { type Adapter, afterCommand, commandsOf, unlessSet } from './adapter.ts'
import { commandAdapter } from './adapters/command.ts'

const COMMAND = { exe: 'x', args: [] }

describe('a list of commands', () => {
  it('goes on after 0, ends with the last, and fails with anything else', () => {
    expect(afterCommand(COMMAND, 0, false)).toBe('next')
    expect(afterCommand(COMMAND, 0, true)).toBe('completed')
    expect(afterCommand(COMMAND, 1, false)).toBe('failed')
    expect(afterCommand(COMMAND, null, true)).toBe('failed')
  })

  it('goes on and ends at the exit codes that a command names instead', () => {
    const asks = { ...COMMAND, goesOnAt: [1], endsAt: [0] }
    expect(afterCommand(asks, 1, false)).toBe('next')
    expect(afterCommand(asks, 0, false)).toBe('completed')
    expect(afterCommand(asks, 2, false)).toBe('failed')
    expect(afterCommand(asks, 1, true)).toBe('completed')
  })

  it('is a list also where an adapter prepares one command', () => {
    const several: Adapter = { ...commandAdapter, prepare: () => [COMMAND, COMMAND] }
    expect(commandsOf(commandAdapter, toolJob(), placeAt('/repo'))).toEqual([{ exe: 'true', args: [] }])
    expect(commandsOf(several, toolJob(), placeAt('/repo'))).toEqual([COMMAND, COMMAND])
  })
})

it('what a job sets itself is not set again', () => {
  expect(unlessSet(toolJob({ env: { CI: '' } }), { CI: '1', NO_COLOR: '1' })).toEqual({ NO_COLOR: '1' })
})
