// What the tenants have done, stage by stage. Nothing is really downloaded, rendered or booked; all that the ledger sees of
// it is real.
import { type LedgerState, NonRetryable, pipeline } from 'waybill'
import { pretending } from './pretend.ts'

const BRISK = {
  attempts: 3,
  timeout: '20s',
  backoff: { kind: 'linear', base: '2s', cap: '10s', jitter: 0.3 },
} as const

const OVERLOADED = { code: 'HTTP_503', message: 'The source is overloaded' }
const UNREADABLE = { code: 'UNREADABLE', message: 'There is something in it that is no text' }
const OUT_OF_MEMORY = { code: 'OUT_OF_MEMORY', message: 'The graphics card is full' }
const NO_MATCH = { code: 'NO_MATCH', message: 'The sum fits no order' }
const BANK_CLOSED = { code: 'BANK_CLOSED', message: 'The bank does not answer' }

/** Where a document is while a stage works on it, and afterwards. */
function moves(enters: LedgerState, leaves: LedgerState) {
  return { policy: 'brisk', document: { enters, leaves, fails: 'failed' } } as const
}

/** In between the phases a person has to approve. */
export const pdfTwoPhase = pipeline('pdf-two-phase', 'v3')
  .phases('acquire', 'enrich')
  .policy('brisk', BRISK)
  .gate('approved', { when: { field: 'metadata.approved', equals: true }, timeout: '30m' })
  .stage(
    'download',
    { phase: 'acquire', ...moves('fetching', 'fetched') },
    pretending({ seconds: [0.3, 2], fails: 0.2, trouble: OVERLOADED }),
  )
  .stage(
    'parse',
    { phase: 'acquire', dependsOn: ['download'], ...moves('parsing', 'parsed') },
    pretending({ seconds: [0.5, 4], fails: 0.1, breaks: 0.06, trouble: UNREADABLE }),
  )
  .stage(
    'validate',
    { phase: 'acquire', dependsOn: ['parse'], ...moves('validating', 'validated') },
    pretending({ seconds: [0.2, 0.6] }),
  )
  .stage(
    'build',
    { phase: 'acquire', dependsOn: ['validate'], ...moves('ir_building', 'ir_ready') },
    pretending({ seconds: [0.5, 2] }),
  )
  .stage(
    'embed',
    {
      phase: 'enrich',
      dependsOn: ['build'],
      gate: 'approved',
      // Cards are scarce: each tenant may use two.
      concurrency: 2,
      ...moves('embedding', 'indexed'),
    },
    pretending({ seconds: [2, 6], fails: 0.15, trouble: OUT_OF_MEMORY }),
  )
  .stage(
    'index',
    { phase: 'enrich', policy: 'brisk', dependsOn: ['embed'], document: { leaves: 'completed' } },
    pretending({ seconds: [0.2, 1] }),
  )

export const webCrawl = pipeline('web-crawl', 'v1')
  .policy('brisk', BRISK)
  .stage(
    'fetch',
    moves('fetching', 'fetched'),
    pretending({ seconds: [0.2, 1.5], fails: 0.25, breaks: 0.04, trouble: OVERLOADED }),
  )
  .stage(
    'render',
    { dependsOn: ['fetch'], ...moves('parsing', 'parsed') },
    pretending({ seconds: [3, 6], fails: 0.08, trouble: OUT_OF_MEMORY }),
  )
  .stage(
    'extract',
    { dependsOn: ['render'], ...moves('validating', 'validated') },
    pretending({ seconds: [0.2, 1], breaks: 0.05, trouble: UNREADABLE }),
  )
  .stage(
    'link',
    { dependsOn: ['extract'], ...moves('ir_building', 'ir_ready') },
    pretending({ seconds: [0.2, 1] }),
  )
  .stage(
    'publish',
    { policy: 'brisk', dependsOn: ['link'], document: { leaves: 'completed' } },
    pretending({ seconds: [0.2, 0.5] }),
  )

export const invoices = pipeline('invoices', 'v2')
  .policy('brisk', BRISK)
  .stage('read', { policy: 'brisk' }, pretending({ seconds: [0.3, 2], fails: 0.1, trouble: UNREADABLE }))
  .stage(
    'match',
    { policy: 'brisk', dependsOn: ['read'] },
    pretending({ seconds: [0.2, 1], breaks: 0.08, trouble: NO_MATCH }),
  )
  .stage('book', { policy: 'brisk', dependsOn: ['match'] }, pretending({ seconds: [0.5, 2] }))

/** Nobody here signs: whoever looks at the page may. */
export const contracts = pipeline<{ readonly pages: number }>('contracts', 'v1')
  .gate('signed', { when: { field: 'metadata.signed', equals: true }, timeout: '24h' })
  .stage('read', ({ input }) => {
    if (input.pages === 0) throw new NonRetryable('There is nothing on it', { code: 'BLANK' })
    return { pages: input.pages }
  })
  .stage('file', { dependsOn: ['read'], gate: 'signed' }, pretending({ seconds: [0.3, 1] }))

/** Fails, and is held for a long while before it is tried again. */
export const bankTransfer = pipeline('bank-transfer', 'v1').stage(
  'transfer',
  { attempts: 9, timeout: '20s', backoff: { kind: 'list', delays: ['10m'] }, breaker: null },
  pretending({ seconds: [0.3, 0.6], fails: 1, trouble: BANK_CLOSED }),
)

/** Its queue is paused when the demo begins. */
export const newsletter = pipeline('newsletter', 'v1')
  .stage('write', pretending({ seconds: [0.3, 1] }))
  .stage('send', { dependsOn: ['write'] }, pretending({ seconds: [0.5, 2] }))
