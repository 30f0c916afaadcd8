// The ledger as anybody sees it who opens its tables with the SDK, or in a tool.
import { TableClient, TableServiceClient } from '@azure/data-tables'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InvalidInput, type Ledger, openLedger, type Protocol } from 'waybill'
import { ALL_TABLES } from '../../src/store/azure-tables/table-names.ts'
import { requestOf } from '../fixtures/live-ledger.ts'
import { within } from '../fixtures/within.ts'
import { dropTables, freshPrefix, testTables } from './azurite.ts'

const LONGEST_MS = 50_000
const INSECURE = { allowInsecureConnection: true }

const PULLED = {
  protocol_id: 'pulled.v1',
  request_type: 'TEST',
  steps: [
    {
      step_id: 'read',
      step_type: 'READ',
      service: 'reader',
      delivery: 'pull',
      policy: { max_attempts: 1 },
    },
  ],
} as const satisfies Protocol
const PUSHED = {
  protocol_id: 'pushed.v1',
  request_type: 'PUSHED',
  steps: [{ step_id: 'send', step_type: 'SEND', service: 'sender', delivery: 'push' }],
} as const satisfies Protocol

let account: string
let prefix: string
let ledger: Ledger

beforeEach(async () => {
  const tables = await testTables()
  account = tables.account
  prefix = freshPrefix()
  ledger = await openLedger(tables.address(prefix), { tenant_id: 't1', protocols: [PULLED, PUSHED] })
})

afterEach(async () => {
  await ledger.close()
  await dropTables(prefix)
})

type Entity = { readonly partitionKey: string; readonly rowKey: string; readonly [column: string]: unknown }

async function entities(table: string): Promise<readonly Entity[]> {
  const client = TableClient.fromConnectionString(account, `${prefix}${table}`, INSECURE)
  return (await Array.fromAsync(client.listEntities())) as unknown as readonly Entity[]
}

/** Of every table: how many rows it has. */
async function sizes(): Promise<readonly number[]> {
  return Promise.all(ALL_TABLES.map(async (table) => (await entities(table)).length))
}

describe('the tables', () => {
  it('have the names of what is in them, after a prefix', async () => {
    const client = TableServiceClient.fromConnectionString(account, INSECURE)
    const names = (await Array.fromAsync(client.listTables())).map(({ name }) => name ?? '')
    const own = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
    expect(own.toSorted()).toEqual([
      'Documents',
      'Events',
      'Idempotency',
      'Index',
      'Jobs',
      'Outbox',
      'Queues',
      'Runs',
      'Schedules',
      'Steps',
      'Tokens',
      'Workstreams',
    ])
  })

  it('say where each record stands, in columns that can be read', async () => {
    await ledger.jobs.submit(
      requestOf({ job_id: 'j1', doc_id: 'doc:1', idempotency_key: 'k1', run_id: 'r1', correlation_id: 'c1' }),
    )
    await ledger.jobs.submit(requestOf({ job_id: 'j2', request_type: 'PUSHED' }))
    const [work] = await ledger.jobs.claim({ queues: ['reader'], worker: 'w1' })
    if (work === undefined) return expect.unreachable('there is a job')
    await ledger.jobs.result(work.step, { status: 'SUCCEEDED', output: { pages: 3 } })
    await ledger.documents.updateState('doc:1', 'fetching', { adapter: 'gutenberg' })
    await ledger.queues.pause('reader')
    const month = new Date().toISOString().slice(0, 7)
    expect(await entities('Jobs')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          partitionKey: expect.stringContaining('t1'),
          rowKey: 'j1',
          tenant_id: 't1',
          jobId: 'j1',
          state: 'SUCCEEDED',
          request_type: 'TEST',
          doc_id: 'doc:1',
          correlation_id: 'c1',
          run_id: 'r1',
        }),
        expect.objectContaining({ rowKey: 'j2', state: 'DISPATCHING' }),
      ]),
    )
    expect((await entities('Jobs'))[0]?.partitionKey).toContain(month.replace('-', ''))
    const steps = (await entities('Steps')).filter(({ step_id }) => step_id !== undefined)
    expect(steps).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          rowKey: '0000~read',
          step_id: 'read',
          state: 'SUCCEEDED',
          queue: 'reader',
          attempt_no: 1,
          output: '{"pages":3}',
        }),
      ]),
    )
    expect(await entities('Outbox')).toEqual([
      expect.objectContaining({ jobId: 'j2', stepId: 'send', state: 'PENDING' }),
    ])
    expect(await entities('Documents')).toEqual([
      expect.objectContaining({ doc_id: 'doc:1', state: 'fetching', adapter: 'gutenberg' }),
    ])
    expect(await entities('Queues')).toEqual([expect.objectContaining({ queue: 'reader', state: 'paused' })])
    expect(await entities('Runs')).toEqual([expect.objectContaining({ run_id: 'r1' })])
    expect((await entities('Idempotency')).some((row) => JSON.stringify(row).includes('j1'))).toBe(true)
    const events = await entities('Events')
    expect(events.some((row) => JSON.stringify(row).includes('SUCCEEDED'))).toBe(true)
  })

  it('can be asked by whoever knows what the columns are called', async () => {
    for (const job_id of ['a', 'b', 'c']) await ledger.jobs.submit(requestOf({ job_id }))
    await ledger.jobs.cancel('b')
    const client = TableClient.fromConnectionString(account, `${prefix}Jobs`, INSECURE)
    const filter = "tenant_id eq 't1' and state eq 'CANCELLED'"
    const found = await Array.fromAsync(client.listEntities({ queryOptions: { filter } }))
    expect(found.map(({ jobId }) => jobId)).toEqual(['b'])
  })
})

describe('ids of any kind', () => {
  const ODD = [
    'a/b\\c?d#e%f',
    '100%25',
    'emoji 👩‍🚀 é 漢字',
    '~',
    'a~b',
    'it\'s "quoted" & <tagged>',
    'x'.repeat(500),
    `${'é'.repeat(250)}/${'ß'.repeat(200)}`,
    '.2f',
    '\u0080 \u009f',
    '../..',
    '$batch',
  ]

  it('have no control characters', async () => {
    for (const id of ['tab\t', 'bell\u0007', '\u007f'])
      await expect(ledger.documents.updateState(id, 'fetching')).rejects.toThrow(InvalidInput)
    expect(await entities('Documents')).toEqual([])
  })

  it('come back as they were, and no key has what the service does not take', async () => {
    for (const id of ODD) {
      await ledger.documents.updateState(id, 'fetching')
      await ledger.jobs.submit(requestOf({ job_id: id, doc_id: id, idempotency_key: id }))
    }
    for (const id of ODD) {
      expect((await ledger.documents.get(id))?.doc_id).toBe(id)
      expect((await ledger.jobs.get(id))?.doc_id).toBe(id)
      expect(await Array.fromAsync(ledger.documents.history(id))).toHaveLength(1)
      const again = await ledger.jobs.submit(requestOf({ job_id: 'other', doc_id: id, idempotency_key: id }))
      expect(again).toMatchObject({ job_id: id, duplicate: true })
    }
    const listed = await Array.fromAsync(ledger.documents.records())
    expect(new Set(listed.map(({ doc_id }) => doc_id))).toEqual(new Set(ODD))
    for (const table of ALL_TABLES) {
      for (const { partitionKey, rowKey } of await entities(table)) {
        for (const key of [partitionKey, rowKey]) {
          expect(key).toMatch(/^[\x21-\x7e]{1,512}$/)
          expect(key).not.toMatch(/[/\\?#%]/)
        }
      }
    }
    const keys = (await entities('Documents')).map(({ partitionKey }) => partitionKey)
    expect(keys.every((key) => key.includes('~'))).toBe(true)
    expect(await ledger.check()).toEqual([])
  })
})

describe('what is large', () => {
  // Azurite spoils signs beyond ASCII wherever it gets a body in pieces and one of them ends within such a sign.
  const long = 'a"\n'.repeat(34_000)

  it('is cut into columns, and read back whole', async () => {
    await ledger.jobs.submit(requestOf({ job_id: 'long', payload: { long } }))
    expect((await ledger.jobs.get('long'))?.payload).toEqual({ long })
    const [row] = await entities('Jobs')
    const parts = Object.entries(row ?? {}).filter(([name]) => /^payload(_\d+)?$/.test(name))
    expect(parts.length).toBeGreaterThan(3)
    expect(Math.max(...parts.map(([, value]) => (value as string).length))).toBeLessThanOrEqual(32_000)
    expect(JSON.parse(parts.map(([, value]) => value).join(''))).toEqual({ long })
    const [work] = await ledger.jobs.claim({ queues: ['reader'] })
    expect(work?.job.payload).toEqual({ long })
  })

  it('is refused when no row can have it, before anything is written', async () => {
    await ledger.jobs.submit(requestOf({ job_id: 'first' }))
    const before = await sizes()
    const payload = { text: 'x'.repeat(600_000) }
    const error = await ledger.jobs.submit(requestOf({ job_id: 'huge', payload })).catch((reason) => reason)
    expect(error).toMatchObject({ code: 'RECORD_TOO_LARGE', next: expect.stringContaining('reference') })
    await expect(ledger.documents.updateState('d', 'fetching', { metadata: payload })).rejects.toMatchObject({
      code: 'RECORD_TOO_LARGE',
    })
    expect(await sizes()).toEqual(before)
    expect(await ledger.jobs.get('huge')).toBeNull()
    expect(await ledger.check()).toEqual([])
  })

  it('does not leave a worker hanging whose result it is: the attempt has failed, and says why', async () => {
    await using live = await openLedger((await testTables()).address(prefix), {
      tenant_id: 't1',
      protocols: [PULLED],
    })
    await using _worker = live.work({ reader: async () => 'x'.repeat(600_000) })
    const job = await live.jobs.submit(requestOf({ job_id: 'j' }))
    const error = await within(LONGEST_MS, 'the job', job.result()).catch((reason) => reason)
    expect(error).toMatchObject({ code: 'JOB_FAILED' })
    expect(await live.jobs.get('j')).toMatchObject({
      state: 'FAILED_FINAL',
    })
    const { steps } = (await live.jobs.show('j')) ?? { steps: [] }
    expect(steps[0]).toMatchObject({ state: 'FAILED_FINAL', last_error_code: 'RECORD_TOO_LARGE' })
    expect(await live.check()).toEqual([])
  })
})
