// `npm run bench:page`: whether the page stays quick when there is a lot to show.
import { PAGE_BENCHMARKS } from './page/benchmarks.ts'
import { benchMain } from './suite/bench-main.ts'

process.exitCode = await benchMain({
  name: 'page',
  about:
    'Measures the page in a real browser: what it loads, how soon a change shows, and how smoothly long lists scroll.',
  full: 'two minutes',
  quick: 'half a minute',
  benchmarks: PAGE_BENCHMARKS,
})
