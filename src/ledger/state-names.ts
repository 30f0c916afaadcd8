import { type LedgerState, mapState } from '../core/document/states.ts'
import { documentMachine } from '../core/machines/document.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import type { World } from '../world/world.ts'

/** States of documents as callers name them. Old names are mapped, and warned about once each. */
export class StateNames {
  readonly #world: Pick<World, 'warn'>
  readonly #warned = new Set<string>()

  constructor(world: Pick<World, 'warn'>) {
    this.#world = world
  }

  stateOf(name: unknown): LedgerState {
    if (typeof name !== 'string' || name.trim() === '') {
      const legal = Object.keys(documentMachine.states).join(', ')
      throw new InvalidInput('state', 'state must be the name of a state', `Use one of: ${legal}.`)
    }
    const { state, deprecated } = mapState(name)
    if (deprecated && !this.#warned.has(name)) {
      this.#warned.add(name)
      this.#world.warn(
        `The state ${JSON.stringify(name)} is taken for LedgerState.${state.toUpperCase()}; write that instead.`,
        'WAYBILL_DEP_STRING_STATE',
      )
    }
    return state
  }
}
