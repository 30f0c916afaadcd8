import type { EngineName } from '../engines/engine.ts'
import type { Row } from '../harness.ts'

/** What a benchmark is given. */
export interface Bench {
  /** A smaller version, to see that everything works. */
  readonly isQuick: boolean
  /** An empty folder for whatever it makes; it is removed afterwards. */
  readonly folder: string
  /** Where ledgers are, unless the benchmark is about one engine anyway. */
  readonly engine: EngineName
  /** Tells whoever watches what is going on, and how much of it is done. */
  progress(doing: string, part?: number): void
}

export interface Benchmark {
  readonly name: string
  readonly about: string
  readonly run: (bench: Bench) => Promise<readonly Row[]>
}

/** What a benchmark in a process of its own says to the one that shows it. */
export type BenchMessage =
  | { readonly doing: string; readonly part: number | null }
  | { readonly rows: readonly Row[] }
