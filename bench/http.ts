// `npm run bench:http`: how fast the server is, and what those cost who follow what happens.
import { HTTP_BENCHMARKS } from './http/benchmarks.ts'
import { benchMain } from './suite/bench-main.ts'

process.exitCode = await benchMain({
  name: 'http',
  about: 'Measures the HTTP server: durable submits and callbacks, and streams of events.',
  full: 'a few minutes',
  quick: 'about a minute',
  benchmarks: HTTP_BENCHMARKS,
})
