// The shell commands in docs/services.md, as they stand there.
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { type OutboxRecord, openLedger, serveCallbacks } from 'waybill'
import { atomicOcr } from '../../examples/protocols/atomic.ts'
import { environment } from '../e2e/environment.ts'
import { page } from '../e2e/pages.ts'
import { fences } from '../e2e/runnable-blocks.ts'

const SECRET = `whsec_${Buffer.from('a secret that is typed by hand').toString('base64')}`
const TIMEOUT_MS = 10_000

const missing = ['bash', 'curl', 'openssl', 'od'].filter((program) => spawnSync(program, ['--version']).error)

it('A12 a callback can be sent with curl and openssl', async (context) => {
  if (missing.length > 0) return context.skip(`${missing.join(', ')} not installed`)
  const script = fences(page('docs/services.md')).find(
    ({ info, text }) => info === 'sh' && text.includes('openssl'),
  )
  await using ledger = await openLedger('memory:', { tenant_id: 't1' })
  await using callbacks = await serveCallbacks(ledger.jobs, { secrets: SECRET })
  ledger.jobs.register(atomicOcr)
  const { job_id } = await ledger.jobs.submit({
    tenant_id: 't1',
    request_type: 'OCR',
    input_ref: 'in',
    output_ref: 'out',
    payload: {},
    schema_version: 'v1',
  })
  const [row] = (await ledger.jobs.takeDirectives({ services: ['ocr'] })) as [OutboxRecord]
  const { stdout } = await promisify(execFile)('bash', ['-euc', script?.text ?? 'exit 1'], {
    timeout: TIMEOUT_MS,
    env: environment({
      CALLBACK_URL: callbacks.url,
      WAYBILL_SECRET: SECRET,
      TENANT_ID: 't1',
      JOB_ID: job_id,
      STEP_ID: 'ocr',
      ATTEMPT_NO: '1',
      LEASE_ID: row.lease_id,
    }),
  })
  expect(JSON.parse(stdout)).toMatchObject({ status: 'accepted', cancel: false })
  expect(await ledger.jobs.get(job_id)).toMatchObject({ state: 'IN_PROGRESS' })
})
