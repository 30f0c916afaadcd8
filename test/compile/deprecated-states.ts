// Compiled, never run: old names of states still compile, and editors strike them through.
import { openLedger } from 'waybill'

const { documents } = await openLedger('memory:')

await documents.updateState('doc:1', 'pdf_downloaded')
await documents.updateState('doc:1', 'mineru_inflight')
await documents.updateState('doc:1', 'COMPLETED')
