// The columns of the tables: which figure of which workload, and how it is written.
import type { WorkloadName } from '../catalogue.ts'

export interface Column {
  readonly workload: WorkloadName
  readonly figure: string
  readonly heading: string
  readonly unit: 'jobs/s' | 'ms'
}

export const COLUMNS: readonly Column[] = [
  { workload: 'alone', figure: 'perSecond', heading: 'W1 one at a time', unit: 'jobs/s' },
  { workload: 'crowd', figure: 'perSecond', heading: 'W1 100 callers', unit: 'jobs/s' },
  { workload: 'bulk', figure: 'perSecond', heading: 'W1 bulk', unit: 'jobs/s' },
  { workload: 'drain', figure: 'perSecond', heading: 'W2 drain', unit: 'jobs/s' },
  { workload: 'both', figure: 'perSecond', heading: 'W3 both at once', unit: 'jobs/s' },
  { workload: 'steps', figure: 'perSecond', heading: 'W4 three steps', unit: 'jobs/s' },
  { workload: 'latency', figure: 'p50', heading: 'W3 p50', unit: 'ms' },
  { workload: 'latency', figure: 'p99', heading: 'W3 p99', unit: 'ms' },
  { workload: 'startup', figure: 'ready', heading: 'W5 start-up', unit: 'ms' },
  { workload: 'startup', figure: 'begun', heading: 'W5 first job begun', unit: 'ms' },
  { workload: 'startup', figure: 'process', heading: 'W5 since process start', unit: 'ms' },
]

/** What a workload is called where its figures do not matter. */
export function headingOf(name: WorkloadName): string {
  const column = COLUMNS.find(({ workload }) => workload === name)
  return column?.heading.replace(/ p\d+$/, ' latency') ?? name
}

/** Three digits that count. */
export function written(value: number): string {
  if (value >= 100) return Math.round(Number(value.toPrecision(3))).toLocaleString('en')
  return value.toPrecision(value < 1 ? 2 : 3)
}
