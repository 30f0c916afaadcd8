import type { Benchmark } from '../suite/bench.ts'
import { latency } from './latency.ts'
import { submits } from './submits.ts'
import { throughput } from './throughput.ts'

/** In the order in which they run. */
export const JOB_BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'submits',
    about: 'durable submits: one at a time against a bare append and fdatasync, 100 callers, and in bulk',
    run: submits,
  },
  {
    name: 'throughput',
    about: 'jobs of one and three steps that a worker does, submitted beforehand and while it works',
    run: throughput,
  },
  {
    name: 'latency',
    about: 'from submit to the start of the handler, at 500 jobs a second',
    run: latency,
  },
]
