// `npm run bench:journal`: how fast the journal is, beside what it promises.
import { removeOldData } from './journal/bench-data.ts'
import { JOURNAL_BENCHMARKS } from './journal/benchmarks.ts'
import { benchMain } from './suite/bench-main.ts'

process.exitCode = await benchMain({
  name: 'journal',
  about: 'Measures the journal: how fast a ledger in a folder is, beside what it promises.',
  full: 'about 15 minutes the first time',
  quick: 'below 2 minutes',
  benchmarks: JOURNAL_BENCHMARKS,
  notes: 'Large ledgers are made once and kept in .reports/bench-data/ (delete it to have them made anew).',
  prepare: removeOldData,
})
