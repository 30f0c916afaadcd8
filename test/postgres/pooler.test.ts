import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Ledger, openLedger } from 'waybill'
import { whyNoProgram } from '../e2e/debian-package.ts'
import { type Pooler, startPooler } from './pooler.ts'
import { appeared, PROTOCOL, REQUEST } from './requests.ts'
import { freshSchema, type TestServer, testServer } from './server.ts'

const whyNot = await whyNoProgram('pgbouncer')

const JOBS = 200
const MOST_ROUNDS = 1000

function rejections(settled: readonly PromiseSettledResult<unknown>[]): { code: string; next: string }[] {
  return settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
}

// Where it cannot be installed, the title says why.
describe.skipIf(whyNot !== null)(
  `behind pgbouncer in transaction mode${whyNot === null ? '' : ` (${whyNot})`}`,
  () => {
    let server: TestServer
    let pooler: Pooler
    const schema = freshSchema()

    beforeAll(async () => {
      server = await testServer()
      pooler = await startPooler(server.url)
    })

    afterAll(async () => {
      await pooler.stop()
      await server.stop()
    })

    const open = (query: string): Promise<Ledger> =>
      openLedger(`${pooler.url}?schema=${schema}${query}`, {
        protocols: [PROTOCOL],
        inFlightLimit: JOBS,
        postgres: { pollMs: 20 },
      })

    it('two ledgers share three connections, and every job is done once', async () => {
      const [one, other] = await Promise.all([
        open('&listen=false&prepare=false'),
        open('&listen=false&prepare=false'),
      ])
      expect(one.capabilities.watch).toBe('poll')
      const done: string[] = []
      const handlers = {
        a: ({ job }: { job: { job_id: string } }) => {
          done.push(job.job_id)
          return null
        },
      }
      const workers = [one, other].map((ledger) => ledger.work(handlers))
      const submitted = await Promise.all(
        Array.from({ length: JOBS }, (_, index) =>
          (index % 2 === 0 ? one : other).jobs.submit({ ...REQUEST, payload: { index } }),
        ),
      )
      const ended = await Promise.all(submitted.map(({ job_id }) => one.jobs.wait(job_id)))
      expect(ended).toHaveLength(JOBS)
      expect(done.sort()).toEqual(submitted.map(({ job_id }) => job_id).sort())

      const client = new pg.Client({ connectionString: pooler.url })
      await client.connect()
      await client.query('BEGIN')
      await one.jobs.submitIn(client, { ...REQUEST, job_id: 'with-theirs' })
      await client.query('COMMIT')
      await client.end()
      await appeared(other, 'with-theirs')

      await Promise.all(workers.map((worker) => worker.stop()))
      expect(await one.check()).toEqual([])
      await Promise.all([one.close(), other.close()])
    })

    it('says what to do when statements are prepared that are on another connection', async () => {
      const opened = await Promise.allSettled(Array.from({ length: 3 }, () => open('&listen=false')))
      const ledgers = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      const errors = rejections(opened)
      // Who gets which connection is for the pooler to say: sooner or later it is one that knows nothing of a statement.
      for (let rounds = 0; errors.length === 0 && rounds < MOST_ROUNDS; rounds++) {
        const questions = ledgers.flatMap((ledger) => [1, 2, 3].map((nth) => ledger.jobs.get(`j${nth}`)))
        errors.push(...rejections(await Promise.allSettled(questions)))
      }
      expect(errors).not.toEqual([])
      for (const { code, next } of errors) {
        expect(code).toBe('DATABASE_FAILED')
        expect(next).toContain('?prepare=false&listen=false')
      }
      await Promise.all(ledgers.map((ledger) => ledger.close()))
    })
  },
)
