import { openLedger } from 'waybill'

await using ledger = await openLedger('memory:')

const render = { step_id: 'render', step_type: 'RENDER', service: 'renderer', delivery: 'pull' } as const
ledger.jobs.register({ protocol_id: 'thumbnail.v1', request_type: 'THUMBNAIL', steps: [render] })

await using _worker = ledger.work({ renderer: async () => ({ pages: 1 }) }, { name: 'ada' })

const job = await ledger.jobs.submit({
  tenant_id: 'default',
  request_type: 'THUMBNAIL',
  input_ref: 'files/cat.pdf',
  output_ref: 'files/cat.png',
  payload: { width: 320 },
  schema_version: 'v1',
})
console.log(await job.result())

for await (const { kind, old_state, new_state, actor } of ledger.jobs.history(job.job_id)) {
  console.log(`${kind} ${old_state ?? '(new)'} → ${new_state} by ${actor}`)
}
