// Submits jobs in a ledger in SQLite, one after the other and some at once, and has some done, and says so each time, straight
// to the system.
import { writeSync } from 'node:fs'
import { openLedger } from 'waybill'

const [, , url = ''] = process.argv

const work = { step_id: 'work', step_type: 'WORK', service: 'work', delivery: 'pull' } as const
const protocols = [{ protocol_id: 'one.v1', request_type: 'ONE', steps: [work] }]
await using ledger = await openLedger(url, { protocols, inFlightLimit: 1000 })

async function submit(number: number): Promise<void> {
  await ledger.jobs.submit({
    tenant_id: 't',
    request_type: 'ONE',
    input_ref: `in/${number}`,
    output_ref: `out/${number}`,
    payload: { number },
    schema_version: 'v1',
  })
  writeSync(1, `acknowledged ${number}\n`)
}

for (let number = 0; number < 40; number++) await submit(number)
// A job that somebody waits for is taken before it is durable, but begun only after that.
const worker = ledger.work({ work: ({ input }) => void writeSync(1, `begun ${JSON.stringify(input)}\n`) })
for (let number = 0; number < 10; number++) {
  await ledger.idle()
  await submit(100 + number)
}
await ledger.idle()
await worker.stop()
for (let round = 1; round <= 5; round++) {
  // Few at first, and then more than are written at hand.
  await Promise.all(Array.from({ length: 20 * round }, (_, nth) => submit(1000 * round + nth)))
}
