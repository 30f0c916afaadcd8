// What is kept for years and shown to many has no secrets in it, wherever somebody put one by mistake.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { quickFolder } from '../../test/fixtures/quick-folder.ts'
import { openLedger } from '../open-ledger.ts'
import type { LiveLedger } from '../runtime/live-ledger.ts'
import { SeededRandom } from '../testing/seeded-random.ts'
import { externalPipeline } from './pipeline-request.ts'
import { LedgerStateManager } from './state-manager.ts'

const folder = quickFolder('waybill-secrets-')

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const random = new SeededRandom(7)
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

function word(length: number): string {
  return Array.from({ length }, () => LETTERS[Math.floor(random.next() * LETTERS.length)]).join('')
}

/** Texts as they stand in errors and settings, with «the secret». */
const FORMS: readonly (() => string)[] = [
  () => `connect to postgres://waybill:«${word(12)}»@db:5432/ledger failed`,
  () => `redis://:«${word(9)}»@cache/0`,
  () => `Authorization: Bearer «${word(24)}»`,
  () => `{ authorization: "Basic «${word(20)}==» " }`,
  () => `{"password": "«${word(6)} ${word(6)}»", "user": "ann"}`,
  () => `{ apiKey: '«${word(10)}»' }`,
  () => `PGPASSWORD=«${word(10)}» psql`,
  () => `AccountName=wb;AccountKey=«${word(30)}»;EndpointSuffix=core`,
  () => `https://blob/x?sv=2024&sig=«${word(20)}»&se=1`,
  () => `GET https://api/x?access_token=«${word(16)}»&page=2`,
  () => `client_secret: «${word(12)}»`,
  () => `x-api-key: «${word(12)}»`,
  () => `Set-Cookie: «${word(20)}»; Path=/`,
  () => `token «eyJ${word(12)}.eyJ${word(12)}.${word(8)}» expired`,
  () => `key «AKIA${word(16)}» is not active`,
  () => `remote: «ghp_${word(36)}»`,
  () => `«github_pat_${word(30)}»`,
  () => `«glpat-${word(20)}»`,
  () => `npm ERR! «npm_${word(36)}»`,
  () => `Incorrect API key provided: «sk-proj-${word(20)}»`,
  () => `stripe «sk_live_${word(20)}»`,
  () => `slack «xoxb-${word(16)}»`,
  () => `google «AIza${word(35)}»`,
  () => `hf «hf_${word(24)}»`,
  () => `«-----BEGIN RSA PRIVATE KEY-----\n${word(40)}\n-----END RSA PRIVATE KEY-----»`,
]

interface Planted {
  readonly text: string
  readonly secret: string
}

const PLANTED: readonly Planted[] = [...FORMS, ...FORMS].map((form) => {
  const text = form()
  const secret = /«([\s\S]*)»/.exec(text)?.[1] as string
  return { text: text.replaceAll(/[«»]/g, ''), secret }
})

/** In a list, deep inside, by a name and as one. */
function metadataOf({ text, secret }: Planted) {
  return {
    note: text,
    list: ['harmless', text],
    deep: { down: [{ here: text }] },
    password: secret,
    api_keys: 2,
    cookie: [secret],
    [text]: true,
  }
}

async function openWithProtocol(logged: unknown[]): Promise<LiveLedger> {
  const log = (fields: object, message: string) => void logged.push(fields, message)
  const ledger = await openLedger(folder, {
    inFlightLimit: 10_000,
    journal: { snapshotSchedule: null },
    world: { logger: { debug: log, info: log, warn: log, error: log } },
  })
  ledger.jobs.register({
    protocol_id: 'p',
    request_type: 'P',
    steps: [{ step_id: 's', step_type: 'S', service: 'q', delivery: 'pull' }],
  })
  return ledger
}

const REQUEST = { request_type: 'P', input_ref: 'in', output_ref: 'out', schema_version: 'v1' } as const

/** Puts one wherever a caller can, and answers what was thrown on the way. */
async function plant(ledger: LiveLedger, planted: Planted, nth: number): Promise<readonly unknown[]> {
  const { documents, jobs, runs, workstreams, queues, schedules } = ledger
  const { text: reason } = planted
  const metadata = metadataOf(planted)
  const event = { event_type: 'seen', payload: metadata }
  const error = new Error(reason, { cause: new Error(reason) })
  const doc = `doc:${nth}`
  await documents.updateState(doc, 'fetching', { reason, metadata })
  await documents.updateState(doc, 'failed', { error, metadata })
  const refused = await thrownBy(documents.updateState(doc, 'completed', { reason, metadata, error }))
  const [job_id, run_id, workstream_id] = [`j${nth}`, `r${nth}`, `w${nth}`]
  await runs.create({ run_id, metadata }, { reason })
  await runs.annotate(run_id, metadata, { reason })
  await runs.record(run_id, event, { reason })
  await workstreams.create({ workstream_id, run_id, metadata }, { reason })
  await jobs.submit({ ...REQUEST, tenant_id: 'default', job_id, payload: { nth }, metadata }, { reason })
  await jobs.annotate(job_id, metadata, { reason })
  await jobs.record(job_id, event, { reason })
  const work = await jobs.claimJob(job_id, { reason })
  if (work === null) throw new Error('it was claimed')
  const failed = { code: 'NO', message: reason, details: metadata }
  await jobs.release(work.step, { reason, error: failed })
  const again = await jobs.claimJob(job_id)
  const result = { status: 'FAILED', failure_class: 'NON_RETRYABLE', error: failed, metadata } as const
  const late = await thrownBy(jobs.result(work.step, result, { reason }))
  await jobs.result(again?.step ?? work.step, result, { reason })
  await jobs.again(job_id, { new_job_id: `${job_id}-again`, reason })
  await jobs.expedite(`${job_id}-again`, { reason })
  await jobs.cancel(`${job_id}-again`, { reason })
  await queues.pause('other', { reason })
  await queues.resume('other', { reason })
  const scheduled = { ...REQUEST, payload: {}, metadata }
  await schedules.put({ schedule_id: `s${nth}`, cron: '0 0 1 1 *', request: scheduled }, { reason })
  return [refused, late, await thrownBy(jobs.cancel('nobody', { reason }))]
}

function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => new Error('it was not refused'),
    (error: unknown) => error,
  )
}

/** All that the files say, as `zcat` shows it. */
function filesOf(path: string): string {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files
    .map(({ parentPath, name }) => {
      const bytes = readFileSync(join(parentPath, name))
      return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
    })
    .join('\n')
}

it('secrets are in no file, no history, no error and no log, wherever they were put', async () => {
  const logged: unknown[] = []
  const ledger = await openWithProtocol(logged)
  const thrown: unknown[] = []
  for (const [nth, planted] of PLANTED.entries()) {
    thrown.push(...(await plant(ledger, planted, nth)))
    if (nth === 20 || nth === 40) await ledger.compact()
  }
  const told: string[] = []
  for await (const record of ledger.audit.records({})) told.push(JSON.stringify(record))
  const records = await Promise.all([
    ledger.documents.list({ limit: 1000 }),
    ledger.jobs.list({ limit: 1000 }),
    ledger.runs.list({ limit: 1000 }),
  ])
  await ledger.close()
  expect(thrown.map((error) => (error as { code?: string }).code)).toEqual(
    PLANTED.flatMap(() => ['INVALID_STATE_TRANSITION', 'LEASE_MISMATCH', 'NOT_FOUND']),
  )
  const places = {
    files: filesOf(folder),
    history: told.join('\n'),
    records: JSON.stringify(records),
    errors: thrown.map((error) => `${JSON.stringify(error)} ${(error as Error).stack}`).join('\n'),
    logs: JSON.stringify(logged),
  }
  const found = PLANTED.flatMap(({ secret }) => {
    // A key of several lines is written with them escaped.
    const inJson = JSON.stringify(secret).slice(1, -1)
    return Object.entries(places).flatMap(([place, text]) =>
      text.includes(secret) || text.includes(inJson) ? [`${place}: ${secret}`] : [],
    )
  })
  expect(found).toEqual([])
  // What is no secret is still there, and so is that something was.
  expect(places.files).toContain('harmless')
  expect(places.history.match(/\[redacted\]/g)?.length).toBeGreaterThan(1000)
  expect(logged.length).toBeGreaterThan(0)
})

it('what a run is asked for is kept as it is, and what is known of it without secrets', async () => {
  await using ledger = await openLedger('memory:')
  const pipeline = externalPipeline('pdf', 'v1')
  const given = { adapter_request: { password: 'hunter2' }, context: { token: 'abc' } }
  const job = await ledger.jobs.submit(pipeline, { ...given, payload: {}, metadata: { token: 'abc' } })
  expect((await ledger.jobs.get(job.job_id))?.metadata).toMatchObject({ ...given, token: '[redacted]' })
  const manager = new LedgerStateManager(ledger)
  await manager.prepareRun(job.job_id, { pipeline_name: 'pdf', pipeline_version: 'v1', ...given })
  expect((await ledger.jobs.get(job.job_id))?.metadata).toMatchObject(given)
})

it('payloads, references and outputs come back as they were given', async () => {
  await using ledger = await openLedger('memory:')
  ledger.jobs.register({
    protocol_id: 'p',
    request_type: 'P',
    steps: [{ step_id: 's', step_type: 'S', service: 'q', delivery: 'pull' }],
  })
  const payload = { password: 'hunter2', url: 'postgres://a:b@c/d' }
  const input_ref = { uri: 'https://blob/x?sig=abc', metadata: { token: 'abc' } }
  const job = await ledger.jobs.submit({
    ...REQUEST,
    tenant_id: 'default',
    payload,
    input_ref,
    output_ref: 'o?sig=1',
  })
  const [work] = await ledger.jobs.claim({ queues: ['q'] })
  if (work === undefined) throw new Error('it was claimed')
  await ledger.jobs.result(work.step, { status: 'SUCCEEDED', output: payload, output_ref: 'p?sig=2' })
  const shown = await ledger.jobs.show(job.job_id)
  expect(shown).toMatchObject({
    job: { payload, input_ref, output_ref: 'o?sig=1' },
    steps: [{ output: payload, result_ref: 'p?sig=2' }],
  })
  expect(await job.result()).toEqual(payload)
})
