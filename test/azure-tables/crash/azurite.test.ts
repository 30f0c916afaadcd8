// The same over a real wire, for some of the scenes: a proxy cuts the connection of the process for good, or only once. Unless
// there is time, that is a third of the requests, which take long there.
import assert from 'node:assert/strict'
import { afterAll, describe, it } from 'vitest'
import { connectTables, type ServiceOptions } from '../../../src/store/azure-tables/data-tables-service.ts'
import { openOn } from '../../../src/store/azure-tables/opening.ts'
import { ALL_TABLES } from '../../../src/store/azure-tables/table-names.ts'
import type { Store } from '../../../src/store/store.ts'
import type { VirtualWorld } from '../../../src/testing/virtual-world.ts'
import { isLong } from '../../crash/random/seeds.ts'
import { dropTables, freshPrefix, type TestTables, testTables } from '../azurite.ts'
import { FakeAccount } from '../fake-account.ts'
import { FakeTableService } from '../fake-table-service.ts'
import { startProxy, type TablesProxy } from '../proxy.ts'
import type { Mortal } from './cut-off.ts'
import { ALL, mustHappenOrNot, type Place, someOf } from './play.ts'
import { SCENES, type Scene } from './scenes.ts'

const CHOSEN = [
  'a submit for a document with a key of its own',
  'a submit that depends on another',
  'a claim under a limit',
  'a claim that takes a document along',
  'SENT',
  'a success with a step to follow',
  'a lease that has run out',
  'a document that a gate waits for',
]

/** Those that take half a minute. */
const LONG = [
  'a submit of a tenant that is known',
  'a take',
  'an ACK before SENT',
  'a success that others wait for',
  'a failure that somebody else takes over',
  'a batch',
]

/** Time passes a hundred times as fast there: a request has as long as it takes. */
const NEVER_MS = 2 ** 31 - 1

const prefixes: string[] = []
const proxies: TablesProxy[] = []

afterAll(async () => {
  for (const proxy of proxies) await proxy.stop()
  await dropTables(...prefixes)
})

class InAzurite implements Place {
  readonly #prefix = freshPrefix()

  constructor() {
    prefixes.push(this.#prefix)
  }

  async open(world: VirtualWorld, mortal: Mortal | null): Promise<Store> {
    const tables = await testTables()
    if (mortal === null) return this.#open(tables, world, {})
    const proxy = await startProxy(tables)
    proxies.push(proxy)
    proxy.decide = () => mortal.fate()
    // Who is gone does not try again.
    return this.#open(proxy, world, { patienceMs: 0 })
  }

  async witness(store: Store, world: VirtualWorld): Promise<Store> {
    await store.close()
    const service = await this.#connect(await testTables(), world, {})
    const account = new FakeAccount()
    await Promise.all(
      ALL_TABLES.map(async (table) => {
        account.createTable(table)
        const { rows, next } = await service.query(table, {})
        assert.equal(next, null, 'a scene is short')
        account.restore(table, rows)
      }),
    )
    await service.close()
    return openOn(new FakeTableService(account), world)
  }

  async #open(tables: TestTables, world: VirtualWorld, options: ServiceOptions): Promise<Store> {
    return openOn(await this.#connect(tables, world, options), world)
  }

  #connect(tables: TestTables, world: VirtualWorld, options: ServiceOptions) {
    return connectTables(tables.address(this.#prefix), world, { requestTimeoutMs: NEVER_MS, ...options })
  }
}

describe.each(isLong ? [...CHOSEN, ...LONG] : CHOSEN)('%s', (name) => {
  const scene = SCENES[name] as Scene

  it('has happened or not, wherever its process is cut off from Azurite', () =>
    mustHappenOrNot(() => new InAzurite(), scene, isLong ? ALL : someOf(3)))
})
