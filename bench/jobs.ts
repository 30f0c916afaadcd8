// `npm run bench:jobs`: how fast jobs are submitted, done and begun on the journal.
import { JOB_BENCHMARKS } from './jobs/benchmarks.ts'
import { benchMain } from './suite/bench-main.ts'

process.exitCode = await benchMain({
  name: 'jobs',
  about:
    'Measures jobs on the journal: durable submits, jobs from submit to result, and how soon a job begins.',
  full: 'a few minutes',
  quick: 'below a minute',
  benchmarks: JOB_BENCHMARKS,
})
