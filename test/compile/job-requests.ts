// Compiled, never run: what the compiler must accept about jobs and callbacks, and what it must refuse.
import { type Attempt, type Envelope, machines, openLedger, type Protocol } from 'waybill'

const ledger = await openLedger('memory:')
const { jobs } = ledger

const request: Envelope = {
  tenant_id: 't1',
  request_type: 'OCR',
  input_ref: 'in',
  output_ref: { uri: 'out', size_bytes: 12 },
  payload: { pages: [1, 2] },
  schema_version: 'v1',
}
await jobs.submit(request)
await jobs.submit({ ...request, priority: 'high', delay: '1s', doc_id: null }, { actor: 'ada' })

// @ts-expect-error Another version of the schema.
await jobs.submit({ ...request, schema_version: 'v2' })
// @ts-expect-error A misspelt field.
await jobs.submit({ ...request, tennant_id: 't1' })
// @ts-expect-error A reference without its address.
await jobs.submit({ ...request, input_ref: { checksum: 'abc' } })
// @ts-expect-error A priority that there is not.
await jobs.submit({ ...request, priority: 'urgent' })
// @ts-expect-error A mode that there is not.
await jobs.submit({ ...request, mode: 'burst' })
// @ts-expect-error Nothing but a tenant.
await jobs.submit({ tenant_id: 't1' })

const step = { step_id: 'ocr', step_type: 'OCR', service: 'ocr', delivery: 'push' } as const
jobs.register({ protocol_id: 'atomic-ocr.v1', request_type: 'OCR', steps: [step] } satisfies Protocol)
// @ts-expect-error A way of delivery that there is not.
jobs.register({ protocol_id: 'p', request_type: 'OCR', steps: [{ ...step, delivery: 'carrier pigeon' }] })
// @ts-expect-error A policy that there is not.
jobs.register({ protocol_id: 'p', request_type: 'OCR', steps: [{ ...step, policy: { retries: 3 } }] })

const attempt: Attempt = { job_id: 'j', step_id: 'ocr', attempt_no: 1, lease_id: 'l' }
await jobs.result(attempt, { status: 'SUCCEEDED', output: { pages: 2 } })
// @ts-expect-error A failure says whether another attempt is worth it, and why it failed.
await jobs.result(attempt, { status: 'FAILED' })
// @ts-expect-error A success has no error.
await jobs.result(attempt, { status: 'SUCCEEDED', error: { code: 'X', message: '' } })
// @ts-expect-error Without the lease a callback says nothing.
await jobs.ack({ job_id: 'j', step_id: 'ocr', attempt_no: 1 })

// @ts-expect-error A document's state is not a job's.
await jobs.list({ state: 'completed' })
// @ts-expect-error A kind of record that there is not.
await ledger.counts('documents')
// @ts-expect-error A state that the machine does not have.
machines.job.states.DONE.about
