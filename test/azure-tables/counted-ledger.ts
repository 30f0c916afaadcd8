// A ledger that counts what it asks of the service, by what was being done at the time.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Protocol } from 'waybill'
import { DEFAULT_SETTINGS } from '../../src/ledger/settings.ts'
import { LiveLedger } from '../../src/runtime/live-ledger.ts'
import { connectTables } from '../../src/store/azure-tables/data-tables-service.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import type { SentRequest } from '../../src/store/azure-tables/requests.ts'
import type { Store } from '../../src/store/store.ts'
import { realWorld, type World } from '../../src/world/world.ts'

/** What was being done when a request was sent; nothing is what the store does by itself. */
const doing = new AsyncLocalStorage<string>()

export interface CountedRequest extends SentRequest {
  readonly during: string
}

/** What the store does of its own accord: it looks whether others have written, and after its lane. */
const BY_ITSELF = 'by itself'

/** A request that is made again because it took long would count twice. */
const NEVER_MS = 2 ** 31 - 1

export interface CountedLedger {
  readonly ledger: LiveLedger
  readonly requests: readonly CountedRequest[]
  /** Whatever is asked for it is counted under this name. */
  during<T>(name: string, work: () => Promise<T>): Promise<T>
  forget(): void
}

export async function openCounted(
  url: string,
  protocols: readonly Protocol[],
  world: World = realWorld,
): Promise<CountedLedger> {
  const requests: CountedRequest[] = []
  const observe = (request: SentRequest) =>
    void requests.push({ ...request, during: doing.getStore() ?? BY_ITSELF })
  // Whatever is begun while a test does something would be counted as part of it for ever.
  const open = async () =>
    openOn(await connectTables(url, world, { observe, requestTimeoutMs: NEVER_MS }), world)
  const store = named(await doing.exit(open))
  const ledger = new LiveLedger(store, { ...DEFAULT_SETTINGS, tenant_id: 't1' }, world, {
    openMs: 0,
    outputs: null,
  })
  ledger.jobs.register(...protocols)
  return {
    ledger,
    requests,
    during: (name, work) => doing.run(name, work),
    forget: () => void requests.splice(0),
  }
}

/** The store, with what services ask of it counted under the name of the question. */
function named(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]) => {
        const call = () => Reflect.apply(value, target, args)
        if (doing.getStore() !== undefined || name === 'subscribe' || name === 'watch') return call()
        return doing.run(nameOf(String(name), args), call)
      }
    },
  })
}

function nameOf(method: string, [first]: readonly unknown[]): string {
  return method === 'sweep' ? `sweep ${(first as { readonly what: string }).what}` : method
}

/** How many requests each step took, and of which kind. */
export function tally(requests: readonly CountedRequest[]): readonly string[] {
  return Object.entries(Object.groupBy(requests, ({ during }) => during)).map(([during, some = []]) => {
    const kinds = Object.entries(Object.groupBy(some, ({ table, verb }) => `${verb} ${table}`))
    const each = kinds.map(([kind, all = []]) => `${kind} ×${all.length}`).join(', ')
    return `${during.padEnd(16)} ${String(some.length).padStart(3)}   ${each}`
  })
}
