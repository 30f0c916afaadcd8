import type { Benchmark } from '../suite/bench.ts'
import { requests } from './requests.ts'

/** In the order in which they run. */
export const HTTP_BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'requests',
    about: 'durable submits and callbacks over HTTP with 100 connections, against a bare Fastify route',
    run: requests,
  },
]
