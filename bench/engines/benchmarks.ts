import { latency } from '../jobs/latency.ts'
import { submits } from '../jobs/submits.ts'
import { throughput } from '../jobs/throughput.ts'
import type { Bench, Benchmark } from '../suite/bench.ts'
import { stopBenchServer } from './bench-server.ts'
import { costPerJob } from './cost-per-job.ts'
import { documents } from './documents.ts'
import type { EngineName } from './engine.ts'
import { processes } from './processes.ts'

function on(engine: EngineName, name: string, about: string, run: Benchmark['run']): Benchmark {
  return {
    name: `${engine}-${name}`,
    about,
    run: async (bench: Bench) => {
      try {
        return await run({ ...bench, engine })
      } finally {
        await stopBenchServer()
      }
    },
  }
}

function workloads(engine: EngineName): readonly Benchmark[] {
  return [
    on(
      engine,
      'submits',
      'durable submits: one at a time against bare commits, 100 callers, in bulk',
      submits,
    ),
    on(
      engine,
      'throughput',
      'jobs of one and three steps, submitted beforehand and while they are done',
      throughput,
    ),
    on(engine, 'latency', 'from submit to the start of the handler, at 500 jobs a second', latency),
    on(engine, 'documents', 'durable transitions of documents', documents),
  ]
}

export const SQLITE_BENCHMARKS: readonly Benchmark[] = workloads('sqlite')

export const POSTGRES_BENCHMARKS: readonly Benchmark[] = [
  ...workloads('postgres'),
  on(
    'postgres',
    'cost',
    'what a job costs the server: calls, bytes of its log, rows, bytes on disk',
    costPerJob,
  ),
  on('postgres', 'processes', 'how much more one, two and four worker processes get done', processes),
]
