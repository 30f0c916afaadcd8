// Opens a ledger, does one thing with it and closes it, with nothing else going on in the process.
import { openLedger } from 'waybill'

const [url = '', schema = ''] = process.argv.slice(2)
const ledger = await openLedger(url, { postgres: { schema } })
console.log('open')
await ledger.documents.updateState('doc:1', 'fetching', { validate: false })
await ledger.close()
console.log('closed')
