import { createHash } from 'node:crypto'
import type { Clock } from '../../src/world/clock.ts'

/** What happened in a run, a line for each thing, the same whenever the run is played again. */
export class Trace {
  readonly lines: string[] = []
  readonly #clock: Clock
  readonly #start: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#start = clock.now()
  }

  add(what: string): void {
    this.lines.push(`${((this.#clock.now() - this.#start) / 1000).toFixed(3)} ${what}`)
  }

  get hash(): string {
    const hash = createHash('sha256')
    for (const line of this.lines) hash.update(line).update('\n')
    return hash.digest('hex')
  }

  tail(lines: number): string {
    return this.lines.slice(-lines).join('\n')
  }
}

/** Where two runs part; null when they are the same. */
export function firstDifference(a: Trace, b: Trace): string | null {
  const length = Math.max(a.lines.length, b.lines.length)
  for (let n = 0; n < length; n++) {
    if (a.lines[n] !== b.lines[n]) return `line ${n + 1}:\n  ${a.lines[n]}\n  ${b.lines[n]}`
  }
  return null
}

/** The end of an id is chance, and enough to tell it from others. */
export function short(id: string | null | undefined): string {
  return id == null ? '-' : id.slice(-6)
}
