// An OCR service for Waybill. Run it with:
//
//   WAYBILL_SECRET=whsec_… PORT=8080 node service.ts
//
// service.py beside it does the same, and shows everything that `createService` does for you.
import { setTimeout } from 'node:timers/promises'
import { createService, NonRetryable, type StepContext } from 'waybill/service'

const { WAYBILL_SECRET = '', WAYBILL_CALLBACK_SECRET, PORT = '8080' } = process.env

const MS_PER_PAGE = 1

/** This is where the work would be. */
async function readPages({ directive, signal }: StepContext) {
  const { input_ref, payload } = directive
  const uri = typeof input_ref === 'string' ? input_ref : input_ref.uri
  if (!uri.endsWith('.pdf')) throw new NonRetryable(`${uri} is not a PDF`, { code: 'UNREADABLE' })
  const { page_range = '1-3' } = payload as { page_range?: string }
  const [first = 1, last = 1] = page_range.split('-').map(Number)
  for (let page = first; page <= last; page++) await setTimeout(MS_PER_PAGE, undefined, { signal })
  return { uri, pages: last - first + 1 }
}

const service = createService({
  secrets: WAYBILL_SECRET,
  callbackSecret: WAYBILL_CALLBACK_SECRET,
  handlers: { OCR: readPages },
})
const { url } = await service.listen({ port: Number(PORT) })
console.log(`listening on ${url}`)

process.once('SIGTERM', () => void service.stop())
