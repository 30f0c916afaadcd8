import { createRequire } from 'node:module'
import type * as waybill from '../../../src/index.ts'
import { Countdown, type Opened, type Payload, type Place, type Sort, type WorkOptions } from '../system.ts'

// What users get: the built package.
const DIST = new URL('../../../dist/', import.meta.url)
const { openLedger } = (await import(new URL('index.js', DIST).href)) as typeof waybill

/** Many short steps want a concurrency in the hundreds: docs/jobs.md. */
const CONCURRENCY = 500

const STEPS: { readonly [sort in Sort]: readonly string[] } = {
  one: ['only'],
  three: ['first', 'second', 'third'],
}

/**
 * The library loads an engine when a ledger on it is first opened. Start-up is measured with all modules loaded, and the others
 * have loaded theirs by then.
 */
async function loadEngine(name: string): Promise<void> {
  await import(new URL(`parts/${name}.js`, DIST).href)
}

export async function loadJournal() {
  await loadEngine('journal')
  return ({ folder }: Place) => openOn(`${folder}/ledger`)
}

export async function loadSqlite() {
  await loadEngine('sqlite')
  return ({ folder }: Place) => openOn(`sqlite:${folder}/ledger.db`)
}

export async function loadPostgres() {
  await loadEngine('postgres')
  // The one that the engine uses, which need not be the one of this folder.
  createRequire(DIST)('pg')
  return ({ postgres }: Place) => openOn(postgres ?? '')
}

async function openOn(url: string): Promise<Opened> {
  const ledger = await openLedger(url, {
    // By default a tenant may have 100 open jobs.
    inFlightLimit: Number.MAX_SAFE_INTEGER,
    protocols: [protocolOf('one'), protocolOf('three')],
  })
  return {
    submit: (payload, sort) => ledger.jobs.submit(requestOf(payload, sort)),
    submitMany: (payloads) =>
      ledger.batch((make) => payloads.map((payload) => make.submit(requestOf(payload, 'one')))),
    work: async (options) => work(ledger, options),
    settle: () => ledger.compact(),
    close: () => ledger.close(),
  }
}

function work(ledger: waybill.Ledger, { sort, count, onStart }: WorkOptions) {
  const countdown = new Countdown(count)
  const last = STEPS[sort].at(-1)
  const handlers: waybill.Handlers = Object.fromEntries(
    STEPS[sort].map((service) => [
      service,
      ({ input }) => {
        if (service === last) {
          onStart(input as unknown as Payload)
          countdown.tick()
        }
        return null
      },
    ]),
  )
  const worker = ledger.work(handlers, { concurrency: CONCURRENCY })
  // What is left is written when the worker is stopped.
  return { done: countdown.done.then(() => worker.stop()), stop: () => worker.stop() }
}

function protocolOf(sort: Sort): waybill.Protocol {
  return {
    protocol_id: `${sort}.v1`,
    request_type: sort.toUpperCase(),
    steps: STEPS[sort].map((service) => ({
      step_id: service,
      step_type: 'WORK',
      service,
      delivery: 'pull',
    })),
  }
}

function requestOf(payload: Payload, sort: Sort): waybill.Envelope {
  return {
    tenant_id: 'default',
    request_type: sort.toUpperCase(),
    input_ref: 'in',
    output_ref: 'out',
    payload: payload as unknown as waybill.Envelope['payload'],
    schema_version: 'v1',
  }
}
