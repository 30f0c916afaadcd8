// A worker in a process of its own: `draining-process.ts <url> <schema>`. Says `ready`, begins when told to, and ends when it is told.
import { openLedger } from 'waybill'
import { ONE_STEP } from '../jobs/requests.ts'

const [url = '', schema = ''] = process.argv.slice(2)
await using ledger = await openLedger(url, { postgres: { schema }, protocols: [ONE_STEP] })
process.send?.('ready')
await new Promise((resolve) => process.once('message', resolve))
let done = 0
await using _worker = ledger.work(
  {
    'one-0': () => {
      done++
      return null
    },
  },
  { concurrency: 500 },
)
const telling = setInterval(() => process.send?.({ done }), 20)
await new Promise((resolve) => process.once('message', resolve))
clearInterval(telling)
process.disconnect?.()
