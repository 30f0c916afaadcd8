import { type Ledger, WaybillError } from 'waybill'
import type { Agenda } from './agenda.ts'

/** What the players of the demo share. */
export interface Scene {
  readonly ledger: Ledger
  readonly agenda: Agenda
  /** Every refusal that somebody ran into, in order. */
  readonly refused: WaybillError[]
  /**
   * What was decided and nobody waits for at once: changes are made in the order of the calls, so it goes to the disk
   * with whatever comes next. It is waited for at the end of a round.
   */
  readonly underWay: Promise<unknown>[]
}

/** Runs something that the ledger is going to refuse, and keeps what it said. */
export async function expectRefusal(scene: Scene, action: () => Promise<unknown>): Promise<void> {
  try {
    await action()
  } catch (error) {
    if (!(error instanceof WaybillError)) throw error
    scene.refused.push(error)
  }
}
