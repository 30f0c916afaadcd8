import { change, type Decision, type Given, refuse, type SlotChange } from '../../core/decision.ts'
import type { Refusal } from '../../core/refusal.ts'
import { TENANT } from './commands.ts'

/** Decisions about nothing but a claim or a slot: the devices by themselves, without the rules that use them. */

/** Claims the key, or answers who has it. */
export function claimKey(key: string, owner: string, tenant_id = TENANT) {
  return (given: Given): Decision<string> => {
    const there = given.ownerOf({ tenant_id, key })
    return there === undefined ? change(owner, { claims: [{ tenant_id, key, owner }] }) : change(there, {})
  }
}

export interface SlotRequest {
  readonly key: string
  readonly owner: string
  readonly max: number
  readonly tenant_id?: string
  readonly until?: number
}

export function take({ tenant_id = TENANT, ...slot }: SlotRequest): SlotChange {
  return { verb: 'take', tenant_id, ...slot }
}

export function release({ tenant_id = TENANT, key, owner }: Omit<SlotRequest, 'max'>): SlotChange {
  return { verb: 'release', tenant_id, key, owner }
}

/** Makes these changes, or is refused because a slot is full. */
export function changeSlots(...slots: readonly SlotChange[]) {
  return (given: Given): Decision<'done'> =>
    slots.some((slot) => slot.verb === 'take' && given.isFull(slot))
      ? refuse(FULL)
      : change('done', { slots })
}

export const FULL: Refusal = {
  code: 'CONCURRENCY_LIMIT',
  message: 'No slot is free',
  next: 'Wait until one is released.',
  details: {},
}
