// A ledger whose steps are pushed, with its callbacks listening, and a dispatcher that is told when to publish.
import { type AuditRecord, messageOf, openLedger, type Protocol, type Publisher, START } from 'waybill'
import { virtualWorld } from 'waybill/testing'
import { callbackUrlsAt } from '../../src/core/job/callback-urls.ts'
import { callbackHandler } from '../../src/runtime/callbacks/callback-handler.ts'
import { listen, type WebHandler } from '../../src/wire/listen.ts'

export const DIRECTIVE_SECRET = `whsec_${Buffer.from('what directives are signed with').toString('base64')}`
export const CALLBACK_SECRET = 'what callbacks are signed with'

const MAX_BYTES = 1024 * 1024

const PROTOCOL = {
  protocol_id: 'ocr-embedding.v1',
  request_type: 'OCR->EMBEDDING',
  steps: [
    { step_id: 'ocr', step_type: 'OCR', service: 'ocr', delivery: 'push' },
    { step_id: 'embedding', step_type: 'EMBEDDING', service: 'embedding', delivery: 'push' },
  ],
} as const satisfies Protocol

export interface PushedOptions {
  readonly world?: ReturnType<typeof virtualWorld>
  /** Stands between services and the ledger. */
  readonly between?: (handler: WebHandler) => WebHandler
}

export async function pushedLedger({
  world = virtualWorld(),
  between = (handler) => handler,
}: PushedOptions = {}) {
  const ledger = await openLedger('memory:', { world, tenant_id: 't1' })
  ledger.jobs.register(PROTOCOL)
  const { clock, timers } = world
  const handler = callbackHandler(ledger.jobs, { secrets: CALLBACK_SECRET, clock })
  const server = await listen(between(handler), { maxBytes: MAX_BYTES, timers })
  const callback_urls = callbackUrlsAt(`${server.url}/v1/callbacks`)

  async function submit(payload = {}): Promise<string> {
    const { job_id } = await ledger.jobs.submit({
      tenant_id: 't1',
      request_type: PROTOCOL.request_type,
      input_ref: 's3://in/1',
      output_ref: 's3://out/1',
      payload,
      schema_version: 'v1',
      correlation_id: 'c-1',
      callback_urls,
    })
    return job_id
  }

  /** The first record of the history that is wanted, as soon as it is there. */
  async function first(wanted: (record: AuditRecord) => boolean): Promise<AuditRecord> {
    for await (const record of ledger.events({ after: START })) if (wanted(record)) return record
    throw new Error('The ledger was closed before it happened')
  }

  return {
    ledger,
    world,
    server,
    submit,
    first,
    /** Publishes what there is, and writes down how it went; answers the codes of what failed. */
    async dispatch(publishers: { readonly [service: string]: Publisher }): Promise<readonly string[]> {
      const failed: string[] = []
      for (const [service, publisher] of Object.entries(publishers)) {
        for (const row of await ledger.jobs.takeDirectives({ services: [service], limit: 100 })) {
          try {
            await publisher.publish(messageOf(row, service), new AbortController().signal)
            await ledger.jobs.sent(row)
          } catch (error) {
            const { code, message } = error as Error & { code: string }
            failed.push(code)
            await ledger.jobs.publishFailed(row, { code, message })
          }
        }
      }
      return failed
    },
    state: (job_id: string, state: string) =>
      first((record) => record.kind === 'job' && record.job_id === job_id && record.new_state === state),
    step: (job_id: string, step_id: string, state: string) =>
      first(
        (record) =>
          record.kind === 'step' &&
          record.job_id === job_id &&
          record.id.endsWith(step_id) &&
          record.new_state === state,
      ),
    async [Symbol.asyncDispose]() {
      await server.close()
      await ledger.close()
    },
  }
}
