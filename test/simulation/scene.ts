import { type VirtualWorld, virtualWorld } from '../../src/testing/virtual-world.ts'
import { Dice } from './dice.ts'
import { type Fault, NO_FAULT } from './faults/fault.ts'
import { LawBroken } from './law-broken.ts'
import { AllLaws } from './laws/all-laws.ts'
import { Trace } from './trace.ts'
import { Troubles } from './troubles.ts'

/**
 * `tables` is what the engines on a database have in common, over tables in memory. `azure-tables` is the engine in an account
 * of Azure, which is in memory, too.
 */
export type Engine = 'memory' | 'journal' | 'tables' | 'azure-tables'

/** What everybody in a run shares: one world, one source of chance, one trace, and the laws. */
export class Scene {
  readonly engine: Engine
  readonly fault: Fault
  readonly world: VirtualWorld
  readonly dice: Dice
  readonly trace: Trace
  readonly laws: AllLaws
  readonly troubles: Troubles
  readonly inFlightLimit: number
  /** How many processes were started so far. */
  lives = 0
  /** From now on everybody is honest, and nothing fails. */
  isCalm = false
  #broken: LawBroken | null = null
  readonly #calmed: (() => void)[] = []

  constructor(engine: Engine, seed: number, fault: Fault = NO_FAULT) {
    this.engine = engine
    this.fault = fault
    this.world = virtualWorld({ seed })
    this.dice = new Dice(this.world.random)
    this.trace = new Trace(this.world.clock)
    this.troubles = new Troubles(this.dice)
    this.inFlightLimit = this.dice.oneOf([4, 8, 100])
    this.laws = new AllLaws(this.inFlightLimit, (broken) => this.broke(broken))
  }

  /** The first law that was broken. */
  get broken(): LawBroken | null {
    return this.#broken
  }

  broke(error: unknown): void {
    if (this.#broken !== null) return
    this.#broken = error instanceof LawBroken ? error : unexpected(error)
    this.trace.add(`BROKEN ${this.#broken.message}`)
  }

  /** Something that happens later, whatever becomes of the process. */
  after(ms: number, act: () => unknown): void {
    this.world.clock.after(ms, () => this.do(act))
  }

  /** Nobody waits for it, and what it throws is a mistake. */
  do(act: () => unknown): void {
    const done = async () => act()
    done().catch((error: unknown) => this.broke(error))
  }

  onCalm(listener: () => void): void {
    if (this.isCalm) listener()
    else this.#calmed.push(listener)
  }

  calm(): void {
    this.isCalm = true
    this.trace.add('calm')
    for (const listener of this.#calmed) listener()
  }
}

function unexpected(error: unknown): LawBroken {
  const { name, message, stack } = error as Error
  return new LawBroken(`nobody throws ${name}: ${message}\n${stack}`, { cause: error })
}
