// `npm run bench:postgres`: jobs and documents on PostgreSQL.
import { POSTGRES_BENCHMARKS } from './engines/benchmarks.ts'
import { benchMain } from './suite/bench-main.ts'

process.exitCode = await benchMain({
  name: 'postgres',
  about:
    'Measures jobs and documents on PostgreSQL: the same workloads, what a job costs the server, and how much more several processes get done.',
  full: 'several minutes',
  quick: 'about two minutes',
  notes:
    'It starts a server of its own, whose commits wait for the disk; WAYBILL_TEST_POSTGRES names another.',
  benchmarks: POSTGRES_BENCHMARKS,
})
