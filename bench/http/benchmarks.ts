import type { Benchmark } from '../suite/bench.ts'
import { events } from './events.ts'
import { requests } from './requests.ts'

/** In the order in which they run. */
export const HTTP_BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'requests',
    about: 'durable submits and callbacks over HTTP with 100 connections, against a bare Fastify route',
    run: requests,
  },
  {
    name: 'events',
    about: 'a thousand clients who follow what happens: how soon they hear of it, and what they cost',
    run: events,
  },
]
