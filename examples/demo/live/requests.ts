import type { Ledger, PipelineRequest } from 'waybill'
import { Dice } from './dice.ts'
import { invoices, newsletter, pdfTwoPhase, webCrawl } from './pipelines.ts'

/** Something that tenants ask for again and again. */
export interface Request {
  readonly request_type: string
  /** How often it is asked for, compared with the others. */
  readonly weight: number
  /** No more of it are open at once: so it never grows beyond all bounds, whatever is paused. */
  readonly mostOpen: number
  submit(number: number): Promise<unknown>
}

const TENANTS = ['aurora', 'borealis', 'cascade'] as const
const PRIORITIES = ['normal', 'normal', 'normal', 'low', 'high', 'critical'] as const

/** So many invoices, and then a statement about them. */
const INVOICES_PER_STATEMENT = 5

/** Everything that is asked for. */
export function requestsTo(ledger: Ledger): readonly Request[] {
  return [pdfsTo, pagesTo, invoicesTo, scansTo, lettersTo].map((requestTo) => requestTo(ledger))
}

function pdfsTo({ jobs }: Ledger): Request {
  const submit = (number: number) => {
    const request = requestOf('report', number, ['aurora', 'borealis'])
    return jobs.submit(pdfTwoPhase, { ...request, doc_id: `${request.tenant_id}:report-${named(number)}` })
  }
  return { request_type: pdfTwoPhase.name, weight: 5, mostOpen: 16, submit }
}

function pagesTo({ jobs }: Ledger): Request {
  const submit = (number: number) => {
    const request = requestOf('page', number, ['cascade', 'cascade', 'borealis'])
    const doc_id = `${request.tenant_id}:page-${named(number)}`
    return jobs.submit(webCrawl, { ...request, doc_id, input_ref: `https://example.com/${named(number)}` })
  }
  return { request_type: webCrawl.name, weight: 8, mostOpen: 14, submit }
}

function invoicesTo({ jobs }: Ledger): Request {
  const submit = (number: number) => {
    const isStatement = number % INVOICES_PER_STATEMENT === 0
    if (!isStatement) return jobs.submit(invoices, requestOf('invoice', number, ['cascade']))
    const before = Array.from({ length: INVOICES_PER_STATEMENT - 1 }, (_, i) => number - 1 - i)
    return jobs.submit(invoices, {
      ...requestOf('statement', number, ['cascade']),
      depends_on: before.map((one) => `invoice-${named(one)}`),
      on_dependency_failure: 'skip',
    })
  }
  return { request_type: invoices.name, weight: 4, mostOpen: 10, submit }
}

function scansTo({ jobs }: Ledger): Request {
  const submit = (number: number) => {
    const { tenant_id, ...request } = requestOf('scan', number, ['aurora', 'borealis'])
    return jobs.submit({
      ...request,
      tenant_id,
      request_type: 'PDF_INGEST',
      doc_id: `${tenant_id}:scan-${named(number)}`,
      input_ref: `scan/${named(number)}.pdf`,
      output_ref: `text/${named(number)}`,
      schema_version: 'v1',
    })
  }
  return { request_type: 'PDF_INGEST', weight: 5, mostOpen: 14, submit }
}

function lettersTo({ jobs }: Ledger): Request {
  const submit = (number: number) => jobs.submit(newsletter, requestOf('newsletter', number, TENANTS))
  return { request_type: newsletter.name, weight: 1, mostOpen: 4, submit }
}

/** What all requests say; whose it is and how urgent is up to dice. */
function requestOf(what: string, number: number, tenants: readonly [string, ...string[]]) {
  const dice = new Dice(what, number)
  return {
    job_id: `${what}-${named(number)}`,
    tenant_id: dice.oneOf(tenants),
    priority: dice.oneOf(PRIORITIES),
    tags: [what],
    payload: { number },
  } as const satisfies PipelineRequest
}

function named(number: number): string {
  return String(number).padStart(4, '0')
}
