// `npm run bench:sqlite`: jobs and documents on SQLite.
import { SQLITE_BENCHMARKS } from './engines/benchmarks.ts'
import { benchMain } from './suite/bench-main.ts'

process.exitCode = await benchMain({
  name: 'sqlite',
  about: 'Measures jobs and documents on SQLite: durable submits, jobs from submit to result, transitions.',
  full: 'a few minutes',
  quick: 'about a minute',
  benchmarks: SQLITE_BENCHMARKS,
})
