// Changes that were finished at the same time were told in one write, however much they had to tell: forty documents with a
// hundred thousand characters each were more than the service takes at once. All had been decided by then, and all of their
// callers were told that they had failed.
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { moveDocument } from '../../src/testing/conformance/commands.ts'
import { hurriedWorld } from './crash/cut-off.ts'
import { obeysLaws } from './crash/laws.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'

it.each([{ documents: 60, chars: 110_000 }])(
  '$documents documents move at once, with $chars characters each',
  async ({ documents, chars }) => {
    const store = await openOn(new FakeTableService(new FakeAccount()), hurriedWorld())
    const metadata = { text: 'x'.repeat(chars) }
    const moves = Array.from({ length: documents }, (_, n) => moveDocument(`d${n}`, 'fetching', { metadata }))
    const outcomes = await Promise.all(
      moves.map((move) => store.transact([keyOf(move)], (given) => decide(move, given))),
    )
    expect(outcomes.every(({ ok }) => ok)).toBe(true)
    await obeysLaws(store)
    await store.close()
  },
)
