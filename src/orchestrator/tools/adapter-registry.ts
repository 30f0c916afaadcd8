import { HUMAN } from '../../core/job/tool-service.ts'
import { idProblem } from '../../core/names.ts'
import { InvalidInput, UnknownAdapter } from '../../errors/input-errors.ts'
import type { Adapter } from './adapter.ts'
import { aiderAdapter } from './adapters/aider.ts'
import { codexAdapter } from './adapters/codex.ts'
import { commandAdapter } from './adapters/command.ts'
import { gitAdapter } from './adapters/git.ts'
import { testsAdapter } from './adapters/tests.ts'

const BUILT_IN: readonly Adapter[] = [aiderAdapter, codexAdapter, testsAdapter, gitAdapter, commandAdapter]

/** The tools there are: those that come with Waybill, and the user's own, which may replace one of the same name. */
export class AdapterRegistry {
  readonly #byTool: ReadonlyMap<string, Adapter>

  constructor(own: readonly Adapter[] = []) {
    const names = own.map(({ tool }) => tool)
    for (const [index, tool] of names.entries()) {
      const problem = nameProblem(tool, names.slice(0, index))
      if (problem !== null) {
        const field = `adapters[${index}].tool`
        throw new InvalidInput(field, `${field} ${problem}`, 'Give the adapter a name of its own.')
      }
    }
    this.#byTool = new Map([...BUILT_IN, ...own].map((adapter) => [adapter.tool, adapter]))
  }

  /** What a job's `tool` may be. */
  get tools(): readonly string[] {
    return [...this.#byTool.keys()].sort()
  }

  has(tool: string): boolean {
    return this.#byTool.has(tool)
  }

  adapterFor(tool: string): Adapter {
    const adapter = this.#byTool.get(tool)
    if (adapter === undefined) throw new UnknownAdapter(tool, this.tools)
    return adapter
  }
}

function nameProblem(tool: string, earlier: readonly string[]): string | null {
  if (tool === HUMAN) return `must not be ${HUMAN}, which stands for a person`
  if (earlier.includes(tool)) return `is ${tool} a second time`
  return idProblem(tool)
}
