// Compiled, never run: what the compiler must accept about pipelines, and what it must refuse.
import { openLedger, pipeline, pipelineFrom } from 'waybill'

const ledger = await openLedger('memory:')

// What jobs are given is known in every stage, however many come before it.
const pdf = pipeline<{ readonly url: string }>('pdf', 'v1')
  .stage('download', ({ input }) => input.url.length)
  .stage('parse', { dependsOn: ['download'], timeout: '5m' }, ({ input, previous }) => [input.url, previous])
  .stage('publish', { delivery: 'push', service: 'publisher' })
ledger.work([pdf])
await ledger.jobs.submit(pdf, { payload: { url: 'https://example.com' }, context: new Date(0) })

// @ts-expect-error It is given no such thing.
pdf.stage('print', ({ input }) => input.pages)
// @ts-expect-error A misspelt option.
pdf.stage('print', { dependson: ['parse'] }, () => null)
// @ts-expect-error A state that documents do not have.
pdf.stage('print', { document: { enters: 'printing' } }, () => null)
// @ts-expect-error A stage that workers do has a function.
pdf.stage('print', { timeout: '5m' })
// @ts-expect-error A gate without a condition.
pdf.gate('ready', { timeout: '5m' })
// @ts-expect-error A backoff that there is not.
pdf.policy('slow', { backoff: { kind: 'quadratic', base: '1s', cap: '1m' } })
// @ts-expect-error A pipeline knows its own request type.
await ledger.jobs.submit(pdf, { request_type: 'pdf' })
// @ts-expect-error Not a function.
pipelineFrom({ name: 'pdf', version: 'v1', stages: [{ name: 'download' }] }, { download: 'curl' })
