import { decideBatch } from '../../src/core/batch.ts'
import type { Json } from '../../src/core/json.ts'
import type { WriteSet } from '../../src/store/tables/tables.ts'
import { Workspace } from '../../src/store/tables/workspace.ts'
import { writeSetOf } from '../../src/store/tables/write-set.ts'
import { freshJob } from '../../src/testing/conformance/commands.ts'
import { PULLED } from '../../src/testing/conformance/protocols.ts'

/** More than it takes until what jobs have in common is told apart. */
export const MANY = 20

/** Batches of jobs that are alike, as they are written. */
export function writtenWith(payloads: readonly Json[], key: (nth: number) => string | null): WriteSet {
  const slot = { tenant_id: 'acme', key: 'in-flight', version: 1, counted: 0, named: [] }
  // What was decided for others is not known of it.
  const protocol = { ...PULLED }
  let set: WriteSet | null = null
  for (const _ of ['the first of them is decided', 'and all others are like it']) {
    const remembered = { cell: () => undefined, slot: () => slot }
    const space = new Workspace({ now: 1000, ids: { next: () => 'id' }, remembered, bears: true })
    const commands = payloads.map((payload, nth) =>
      freshJob(`job-${nth}`, {
        protocol,
        inFlightLimit: 1000,
        payload,
        idempotency_key: key(nth),
        idempotency_hash: `hash-${nth}`,
      }),
    )
    space.try((given) => decideBatch(commands, given))
    set = writeSetOf(space)
  }
  return set as WriteSet
}
