import { randomBytes } from 'node:crypto'
import { httpPublisher, openLedger } from 'waybill'
import { serve } from 'waybill/server'
import { Arrivals } from './arrivals.ts'
import { Backlog } from './backlog/backlog.ts'
import { Beats } from './beats.ts'
import { ocrService } from './ocr-service.ts'
import { setTheScene } from './opening-scene.ts'
import { quickIngest } from './pdf-ingest.ts'
import { People } from './people.ts'
import { requestsTo } from './requests.ts'
import { SlowBus } from './slow-bus.ts'
import { Staff } from './staff.ts'

/** Whoever is being answered when the demo ends may wait so long for the rest. */
const CLOSE_MS = 1000
const SERVICE_GRACE_MS = 300

/** How many of each kind are there before the first person looks. */
const AT_FIRST = 8

export interface Live extends AsyncDisposable {
  /** Opens the page, once. */
  readonly link: string
}

/**
 * The ledger of the simulated day goes on by the real clock: tenants ask, people decide, workers, a service and tools work. To
 * dispose of it stops everybody, in the opposite order.
 */
export async function goLive(folder: string): Promise<Live> {
  await using stack = new AsyncDisposableStack()
  const ledger = stack.use(await openLedger(folder, { tenant_id: 'aurora', actor: 'demo' }))
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const server = stack.use(await serve(ledger, { callbackSecrets: secret, closeMs: CLOSE_MS }))

  const service = ocrService({ secret, callbackUrl: `${server.url}/v1/callbacks` })
  stack.defer(() => service.stop({ graceMs: SERVICE_GRACE_MS }))
  const { url } = await service.listen()
  const bus = stack.use(new SlowBus(httpPublisher({ url, secret })))

  ledger.jobs.register(quickIngest)
  stack.use(new Staff(ledger))
  stack.use(ledger.dispatch({ ocr: bus }, { name: 'post-office' }))

  await setTheScene(ledger)
  const arrivals = new Arrivals(ledger, requestsTo(ledger))
  await arrivals.burst(AT_FIRST)

  const backlog = stack.use(new Backlog(ledger))
  await backlog.begin()

  const people = new People(ledger)
  const beats = stack.use(new Beats())
  beats.every(0.9, () => arrivals.next())
  beats.every(2.5, () => people.approve())
  beats.every(15, () => people.jumpAhead())
  beats.every(45, () => people.cancel())
  beats.every(120, () => backlog.newRun())
  beats.every(10, () => backlog.adaHelps())
  const all = stack.move()
  return { link: server.link(), [Symbol.asyncDispose]: () => all.disposeAsync() }
}
