import { median } from '../harness.ts'
import type { WorkloadName } from './catalogue.ts'
import type { Figures } from './workloads.ts'

/** What was measured, by system, workload and round; and what went wrong. */
export class Results {
  readonly #figures = new Map<string, Figures[]>()
  readonly #errors = new Map<string, string>()

  add(system: string, workload: WorkloadName, figures: Figures): void {
    const key = keyOf(system, workload)
    this.#figures.set(key, [...(this.#figures.get(key) ?? []), figures])
  }

  /** Whoever failed once is not measured again, nor shown: its rounds would not be those of the others. */
  fail(system: string, workload: WorkloadName, error: string): void {
    this.#figures.delete(keyOf(system, workload))
    this.#errors.set(keyOf(system, workload), error)
  }

  error(system: string, workload: WorkloadName): string | null {
    return this.#errors.get(keyOf(system, workload)) ?? null
  }

  rounds(system: string, workload: WorkloadName, figure: string): readonly number[] | null {
    const rounds = this.#figures.get(keyOf(system, workload))
    return rounds?.every((figures) => figure in figures) === true
      ? rounds.map((figures) => figures[figure] as number)
      : null
  }

  median(system: string, workload: WorkloadName, figure: string): number | null {
    const rounds = this.rounds(system, workload, figure)
    return rounds === null ? null : median(rounds)
  }

  /** By the median. */
  best(
    systems: readonly string[],
    workload: WorkloadName,
    figure: string,
    isLessBetter: boolean,
  ): string | null {
    const sign = isLessBetter ? 1 : -1
    const measured = systems.flatMap((name) => {
      const value = this.median(name, workload, figure)
      return value === null ? [] : [{ name, value: sign * value }]
    })
    return measured.toSorted((one, other) => one.value - other.value)[0]?.name ?? null
  }
}

function keyOf(system: string, workload: WorkloadName): string {
  return `${system} ${workload}`
}
