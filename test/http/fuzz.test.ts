// Thousands of requests, right and wrong, in any order and side by side. Whatever comes: no failure of the server, no change
// by what was refused, an answer that programs can read, and a ledger without contradictions at the end.
import { randomInt } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ERROR_TABLE } from '../../src/errors/table.ts'
import { numberFrom } from '../crash/random/seeds.ts'
import { quickFolder } from '../fixtures/quick-folder.ts'
import { type ArbitraryRequest, arbitraryRequest } from './arbitrary-request.ts'
import type { Answer } from './http-client.ts'
import { type HttpLedger, httpLedger, OURS, THEIRS } from './http-ledger.ts'
import { populate } from './populate.ts'

const RUNS = numberFrom('WAYBILL_RUNS') ?? 2000
const SEED = numberFrom('WAYBILL_SEED') ?? randomInt(2 ** 31)

/** So many one after the other, then so many side by side. */
const ROUND = 250
const LANES = 16

/** What a server may answer that cannot do what it is asked. */
const EXCUSED = new Set([501, 503, 504])
const HARMLESS = new Set(['refused', 'ignored', 'noted'])

/** All records are compared at every nth refusal: the history is looked at each time. */
const COMPARE_EVERY = 10

function send(http: HttpLedger, { method, path, as, asked }: ArbitraryRequest): Promise<Answer> {
  if (as === null) return http.ask(method, path, asked)
  if (as === 'junk')
    return http.ask(method, path, { ...asked, token: `wb_${'0'.repeat(12)}_${'x'.repeat(43)}` })
  return http.as(as, method, path, asked)
}

function checkAnswer({ status, headers, json }: Answer): void {
  if (status >= 500 && !EXCUSED.has(status))
    throw new Error(`answered with ${status}: ${JSON.stringify(json)}`)
  if (status < 400) {
    expect(json).toBeDefined()
    return
  }
  expect(headers['content-type']).toMatch(/^application\/problem\+json/)
  expect(ERROR_TABLE).toHaveProperty(json.code)
  expect(json.request_id).toBe(headers['x-request-id'])
}

/** In a database every look takes a moment, in which something else may happen. */
const ENGINES = [
  { url: 'memory:', runs: Math.ceil(RUNS * 0.8) },
  { url: 'sqlite:', runs: Math.ceil(RUNS * 0.2) },
]

it.each(ENGINES)(
  '$runs requests of any kind do no harm on $url',
  async ({ url, runs }) => {
    const folder = quickFolder('waybill-fuzz-')
    try {
      await using http = await httpLedger({
        settings: { tenant_id: OURS },
        url: url === 'sqlite:' ? `sqlite:${join(folder, 'ledger.db')}` : url,
      })
      await playAll(http, runs)
    } catch (error) {
      const again = `Play it again with WAYBILL_SEED=${SEED} WAYBILL_RUNS=${RUNS}`
      throw new Error(`${(error as Error).message}\n\n${again}`, { cause: error })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  60 * 60_000,
)

async function playAll(http: HttpLedger, runs: number): Promise<void> {
  const all = [await populate(http.ledger, OURS), await populate(http.ledger, THEIRS)]
  const requests = fc.sample(arbitraryRequest(all), { numRuns: runs, seed: SEED })
  const game = new Game(http)
  for (let begin = 0; begin < runs; begin += 2 * ROUND) {
    await game.alone(requests.slice(begin, begin + ROUND))
    await game.together(requests.slice(begin + ROUND, begin + 2 * ROUND))
    // Time passes, so that whoever guessed is heard again, and leases end.
    await http.world.clock.advanceBy(61_000)
    await http.ledger.advance()
  }
  expect((await http.ask('GET', '/readyz')).json).toEqual({ status: 'ready' })
  expect(await http.ledger.check()).toEqual([])
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  // Most kinds of answers have come: it is not only refusals at the door.
  for (const status of [200, 201, 400, 403, 404, 422]) expect(game.statuses.get(status)).toBeGreaterThan(0)
}

class Game {
  readonly statuses = new Map<number, number>()
  readonly #http: HttpLedger

  constructor(http: HttpLedger) {
    this.#http = http
  }

  /** One after the other: what a refused one changes is seen. */
  async alone(requests: readonly ArbitraryRequest[]): Promise<void> {
    const http = this.#http
    let { next: cursor } = await http.since(undefined)
    for (const [i, request] of requests.entries()) {
      const isCompared = i % COMPARE_EVERY === 0
      const before = isCompared ? await http.records() : ''
      const { status } = await this.#play(request)
      const { items, next } = await http.since(cursor)
      cursor = next
      if (status < 400) continue
      const changes = items.filter(({ event }) => !HARMLESS.has(event))
      const isSame = changes.length === 0 && (!isCompared || (await http.records()) === before)
      if (!isSame) throw explained(new Error(`refused with ${status}: ${JSON.stringify(changes)}`), request)
    }
  }

  async together(requests: readonly ArbitraryRequest[]): Promise<void> {
    const lanes = Array.from({ length: LANES }, async (_, lane) => {
      for (let i = lane; i < requests.length; i += LANES) await this.#play(requests[i] as ArbitraryRequest)
    })
    await Promise.all(lanes)
  }

  async #play(request: ArbitraryRequest): Promise<Answer> {
    try {
      const answer = await send(this.#http, request)
      this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1)
      checkAnswer(answer)
      return answer
    } catch (error) {
      throw explained(error as Error, request)
    }
  }
}

function explained(error: Error, { method, path, as, asked }: ArbitraryRequest): Error {
  const request = JSON.stringify({ method, path, as, ...asked })
  return new Error(`${error.message}\n\n${request}`, { cause: error })
}
