import type { Ledger } from 'waybill'
import { bankTransfer, contracts, invoices, webCrawl } from './pipelines.ts'

/** What somebody has decided before the first request comes in. */
export async function setTheScene(ledger: Ledger): Promise<void> {
  const { queues, schedules, jobs } = ledger
  await Promise.all([
    queues.pause('newsletter/send', { actor: 'maria', reason: 'the provider blocks us until noon' }),
    queues.limit(
      'web-crawl/render',
      { concurrency: 2 },
      { actor: 'otto', reason: 'two browsers are enough' },
    ),
    schedules.put(
      {
        schedule_id: 'sitemap',
        cron: '* * * * *',
        overlap: 'skip',
        request: {
          request_type: webCrawl.name,
          input_ref: 'https://example.com/sitemap.xml',
          output_ref: 'crawl/sitemap',
          payload: {},
          schema_version: 'v1',
          tags: ['sitemap'],
        },
      },
      { tenant_id: 'cascade', actor: 'otto' },
    ),
    jobs.submit(bankTransfer, { tenant_id: 'cascade', job_id: 'transfer-salaries', priority: 'critical' }),
    // Waits for one that has failed and is held until it is tried again.
    jobs.submit(invoices, {
      tenant_id: 'cascade',
      job_id: 'payslips',
      depends_on: ['transfer-salaries'],
      on_dependency_failure: 'fail',
    }),
    // One stands at a gate, the other fails for good.
    jobs.submit(contracts, { tenant_id: 'cascade', job_id: 'contract-lease', payload: { pages: 12 } }),
    jobs.submit(contracts, { tenant_id: 'cascade', job_id: 'contract-blank', payload: { pages: 0 } }),
  ])
}
