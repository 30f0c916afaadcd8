import type { Claim } from '../../core/decision.ts'
import type { Engine } from './engine.ts'
import { CLAIM_RANGE, claimOfRow } from './idempotency-rows.ts'
import type { Settling } from './settling.ts'
import { IDEMPOTENCY } from './table-names.ts'

/** Every claim, partition by partition. */
export class Claims {
  readonly #engine: Engine
  readonly #settling: Settling

  constructor(engine: Engine, settling: Settling) {
    this.#engine = engine
    this.#settling = settling
  }

  async *all(): AsyncGenerator<Claim> {
    const { from: rkFrom, before: rkBefore } = CLAIM_RANGE
    for (let next: string | undefined; ; ) {
      const page = await this.#engine.service.query(IDEMPOTENCY, { rkFrom, rkBefore, next })
      for (const row of page.rows) {
        const { tenant_id, key, owner, tentative } = claimOfRow(row)
        const isOwned =
          tentative === null || (await this.#settling.outcomeOf(tentative.change, tentative.by)) === 'decided'
        if (isOwned) yield { tenant_id, key, owner }
      }
      if (page.next === null) return
      next = page.next
    }
  }
}
