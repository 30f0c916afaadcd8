import type { Benchmark } from '../suite/bench.ts'
import { longLog } from './long-log.ts'
import { manyJobs } from './many-jobs.ts'

/** In the order in which they run. */
export const PAGE_BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'jobs',
    about:
      'a hundred thousand jobs: first load, how soon a change shows, and scrolling through jobs and the history',
    run: manyJobs,
  },
  {
    name: 'log',
    about: 'the log of a tool that printed a million lines: loading and scrolling it',
    run: longLog,
  },
]
