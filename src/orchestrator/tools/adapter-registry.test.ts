import { describe, expect, it } from 'vitest'
import { InvalidInput, UnknownAdapter } from '../../errors/input-errors.ts'
import type { Adapter } from './adapter.ts'
import { AdapterRegistry } from './adapter-registry.ts'
import { commandAdapter } from './adapters/command.ts'

const own = (tool: string): Adapter => ({ ...commandAdapter, tool })

describe('the registry of adapters', () => {
  it('A65: has the tools that come with Waybill, each with its timeout', () => {
    const adapters = new AdapterRegistry()
    const timeouts = adapters.tools.map((tool) => [tool, adapters.adapterFor(tool).defaultTimeoutSeconds])
    expect(Object.fromEntries(timeouts)).toEqual({
      aider: 600,
      codex: 600,
      command: 300,
      git: 60,
      tests: 300,
    })
  })

  it('A63: an unknown tool has an error and an exit code of its own, which names the known ones', () => {
    const asked = () => new AdapterRegistry([own('deploy')]).adapterFor('aidr')
    expect(asked).toThrow(UnknownAdapter)
    expect(asked).toThrow(
      expect.objectContaining({
        code: 'UNKNOWN_ADAPTER',
        exitCode: 7,
        field: 'tool',
        message: 'No adapter runs the tool "aidr"',
        next: expect.stringContaining('Known are: aider, codex, command, deploy, git, tests. Add your own'),
      }),
    )
  })

  it('takes adapters of the user, also in the place of one that comes with Waybill', () => {
    const mine = own('aider')
    const adapters = new AdapterRegistry([mine, own('deploy')])
    expect(adapters.adapterFor('aider')).toBe(mine)
    expect(adapters.has('deploy')).toBe(true)
    expect(new AdapterRegistry().has('deploy')).toBe(false)
  })

  it.each([
    ['human', 'adapters[0].tool must not be human, which stands for a person'],
    ['', 'adapters[0].tool must not be blank'],
  ])('refuses the name %j', (tool, message) => {
    expect(() => new AdapterRegistry([own(tool)])).toThrow(message)
  })

  it('refuses two of one name', () => {
    const twice = () => new AdapterRegistry([own('deploy'), own('deploy')])
    expect(twice).toThrow(InvalidInput)
    expect(twice).toThrow('adapters[1].tool is deploy a second time')
  })
})
