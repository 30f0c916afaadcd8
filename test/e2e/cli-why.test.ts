// Why a job does not move: each cause that there is, told by the command line, with the command that ends it, which is
// run as it is printed: in processes of their own where a worker is to be started, else here.
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CauseName, Delivery, Ledger, Protocol, StepPolicy, Why } from 'waybill'
import { HUMAN_LANE } from '../../src/core/job/tool-service.ts'
import type { Gate } from '../../src/core/pipeline/gate.ts'
import { runHere } from './cli-here.ts'
import { openWith, request } from './cli-jobs-fixture.ts'
import { jsonLines, Shell } from './cli-run.ts'

const shell = new Shell()

const LEDGER = shell.path('kept')

afterAll(() => shell[Symbol.dispose]())

/** For each cause, which is also the id of a job that it keeps: what keeps that job when the command was run. */
const AFTERWARDS: { readonly [cause in CauseName]: CauseName } = {
  gate: 'worker',
  dependency: 'worker',
  delay: 'worker',
  backoff: 'worker',
  paused: 'worker',
  limit: 'worker',
  rate: 'worker',
  turn: 'worker',
  publishing: 'dispatcher',
  publish_backoff: 'dispatcher',
  ack: 'dispatcher',
  lease: 'worker',
  external: 'ended',
  cancelling: 'ended',
  ended: 'ended',
  timer: 'backoff',
  worker: 'ended',
  dispatcher: 'ack',
}

const NAMES = Object.keys(AFTERWARDS) as CauseName[]

/** Each job has a queue of its own, which goes by the same name. */
function protocolOf(name: string, delivery: Delivery = 'pull', policy: StepPolicy = {}): Protocol {
  const step = { step_id: 'only', step_type: 'ONLY', service: name, delivery, policy }
  return { protocol_id: name, request_type: name, steps: [name === 'gate' ? { ...step, gate: GATE } : step] }
}

const GATE: Gate = { name: 'approval', when: { field: 'metadata.approved', op: 'equals', value: true } }

const PUSHED: readonly CauseName[] = ['publishing', 'publish_backoff', 'ack', 'dispatcher']

function protocols(): readonly Protocol[] {
  return ['first', HUMAN_LANE, ...NAMES].map((name) => {
    if (name === HUMAN_LANE) return protocolOf(name, 'external')
    if (PUSHED.some((pushed) => pushed === name)) return protocolOf(name, 'push')
    if (name === 'external') return protocolOf(name, 'external')
    return protocolOf(name, 'pull', name === 'timer' ? { lease_ms: 1 } : {})
  })
}

/** Brings each job to where its cause keeps it. */
async function prepare(ledger: Ledger): Promise<void> {
  const { jobs, queues } = ledger
  const submit = (id: string, type: string, more = {}) => jobs.submit(request(id, type, more))
  const claim = async (queue: string) => {
    const [work] = await jobs.claim({ queues: [queue], worker: 'w1' })
    if (work === undefined) throw new Error(`Nothing is ready in ${queue}`)
    return work.step
  }
  const take = async (service: string) => {
    const [row] = await jobs.takeDirectives({ services: [service] })
    if (row === undefined) throw new Error(`There is no directive for ${service}`)
    return row
  }
  const error = { code: 'HTTP_503', message: 'Overloaded' }
  await submit('first', 'first')
  await submit('left', HUMAN_LANE)
  await submit('dependency', 'dependency', { depends_on: ['first'] })
  await submit('delay', 'delay', { delay: '1h' })
  await queues.pause('paused')
  await queues.limit('limit', { concurrency: 1 })
  await queues.limit('rate', { rate: { max: 1, per_ms: 3_600_000 } })
  for (const name of ['limit', 'rate']) {
    await submit(`before-${name}`, name)
    await claim(name)
  }
  await submit('before-turn', 'turn')
  for (const name of NAMES) await submit(name, name)
  await jobs.result(await claim('backoff'), { status: 'FAILED', failure_class: 'RETRYABLE', error })
  await jobs.result(await claim('ended'), { status: 'FAILED', failure_class: 'NON_RETRYABLE', error })
  for (const name of ['lease', 'cancelling', 'timer']) await claim(name)
  await jobs.cancel('cancelling')
  await take('publishing')
  await jobs.publishFailed(await take('publish_backoff'), error)
  await jobs.sent(await take('ack'))
}

/** Only the queues of those jobs for which a worker is the answer. */
const WORKER = `export default {
  handlers: { worker: () => 'done' },
  publishers: { dispatcher: { publish: async () => {} } },
}`

const answers = new Map<string, Why>()

function commandOf(name: CauseName): string {
  return answers.get(name)?.causes[0]?.unblock?.command ?? 'nothing is printed'
}

beforeAll(async () => {
  await using ledger = await openWith(shell, 'kept', { protocols: protocols() })
  await prepare(ledger)
})

it('every cause is told, with until when and a command', async () => {
  const { status, stdout, stderr } = await shell.run(['why', ...NAMES, '--json', '--ledger', LEDGER])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  for (const why of jsonLines<Why>(stdout)) answers.set(why.job_id, why)
  expect(Object.fromEntries(NAMES.map((name) => [name, answers.get(name)?.causes[0]?.cause]))).toEqual(
    Object.fromEntries(NAMES.map((name) => [name, name])),
  )
  for (const name of NAMES) expect(commandOf(name)).toMatch(new RegExp(`^waybill .* --ledger ${LEDGER}$`))
})

it('for people, too', async () => {
  const text = await runHere(`why backoff --ledger ${LEDGER}`)
  expect(text.stdout).toMatch(
    /^backoff {2}IN_PROGRESS\n {2}at step only \(1 of 1\), FAILED_RETRY, attempt 1, 2 left\n/,
  )
  expect(text.stdout).toMatch(/^ {2}until {7}20\S+Z, in (?:\d+s|1m)$/m)
  expect(text.stdout).toContain(`  unblock     waybill jobs expedite backoff --ledger ${LEDGER}\n`)
  expect(text.stdout).toContain('may go to   IN_PROGRESS, SUCCEEDED, FAILED_FINAL, CANCELLING')
  const nobody = await runHere(`why backof --ledger ${LEDGER}`)
  expect(nobody).toMatchObject({
    status: 3,
    stderr: 'error: There is no job "backof"\nnext: Did you mean backoff?\n',
  })
})

it('what waits for a person is ended by that person, as it says', async () => {
  const why = await runHere(`why left --json --ledger ${LEDGER}`)
  const [cause] = (JSON.parse(why.stdout) as Why).causes
  expect(cause).toMatchObject({ cause: 'external', message: expect.stringContaining('waits for a person') })
  expect((await runHere(`why left --ledger ${LEDGER}`)).stdout).toMatch(
    /^ {2}at step only \(1 of 1\), PENDING, no attempt yet$/m,
  )
  const command = cause?.unblock?.command ?? 'nothing is printed'
  expect(await runHere(command)).toMatchObject({ status: 0, stdout: 'left: SUCCEEDED\n' })
})

it('and the command that is printed ends it', async () => {
  const steering = NAMES.filter((name) => !['timer', 'worker', 'dispatcher'].includes(name))
  for (const name of steering) {
    const { status, stderr } = await runHere(commandOf(name))
    expect({ name, status, errors: stderr.match(/^error.*$/gm) }).toEqual({ name, status: 0, errors: null })
  }
  expect(shell.bash(commandOf('timer')).status).toBe(0)
  // A worker goes on until somebody stops it.
  writeFileSync(shell.path('waybill.worker.ts'), WORKER)
  const worked = shell.bash(`${commandOf('worker')} --until-idle && ${commandOf('dispatcher')} --until-idle`)
  expect(worked.status).toBe(0)
  await using ledger = await openWith(shell, 'kept', { protocols: protocols() })
  const causes = await Promise.all(
    NAMES.map(async (name) => [name, (await ledger.why(name))?.causes[0]?.cause]),
  )
  expect(Object.fromEntries(causes)).toEqual(AFTERWARDS)
  const { items } = await ledger.jobs.list({ request_type: 'ended' })
  expect(items.map(({ again_of }) => again_of)).toContain('ended')
})
