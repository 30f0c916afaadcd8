import { toIso } from '../../src/core/time.ts'
import { idempotencyHash } from '../../src/ledger/idempotency-hash.ts'
import type { Envelope } from '../../src/ledger/request.ts'
import { PROTOCOLS, TENANTS } from './protocols.ts'
import type { Scene } from './scene.ts'

/** A request, and what became of it as far as whoever sent it was told. */
export interface Request {
  readonly envelope: Envelope
  /** Null as long as nobody was told that there is a job. */
  job_id: string | null
  /** How often it was sent, and how many times it is under way now. */
  sent: number
  underWay: number
}

/** Makes requests of every kind, each another one. */
export class Requests {
  readonly #scene: Scene
  readonly all: Request[] = []

  constructor(scene: Scene) {
    this.#scene = scene
  }

  make(more: Partial<Envelope> = {}): Request {
    const { dice, world } = this.#scene
    const n = this.all.length
    const now = world.clock.now()
    const isBurst = dice.chance(0.2)
    const envelope: Envelope = {
      tenant_id: dice.oneOf(TENANTS),
      request_type: dice.oneOf(PROTOCOLS).request_type,
      input_ref: `in:${n}`,
      output_ref: `out:${n}`,
      payload: { host: dice.oneOf(['a', 'b']), n },
      schema_version: 'v1',
      priority: dice.oneOf(['critical', 'high', 'normal', 'low']),
      ...(isBurst ? { mode: 'BURST', doc_id: `doc-${dice.between(1, 9)}` } : null),
      ...(dice.chance(0.3) ? { job_id: `job-${n}` } : null),
      ...(dice.chance(0.3) ? { idempotency_key: `key-${n}` } : null),
      ...(dice.chance(0.15) ? { delay: dice.between(0, 20_000) } : null),
      ...(dice.chance(0.05) ? { run_at: toIso(now + dice.between(-5000, 15_000)) } : null),
      ...(dice.chance(0.08) ? { expires_at: toIso(now + dice.between(1000, 60_000)) } : null),
      ...more,
    }
    const request: Request = { envelope, job_id: null, sent: 0, underWay: 0 }
    this.all.push(request)
    return request
  }

  /** Requests that there are jobs of. */
  accepted(tenant_id?: string): readonly (Request & { job_id: string })[] {
    return this.all.filter(
      (request): request is Request & { job_id: string } =>
        request.job_id !== null && (tenant_id === undefined || request.envelope.tenant_id === tenant_id),
    )
  }
}

export function hashOf({
  tenant_id,
  request_type,
  input_ref,
  output_ref,
  payload,
  schema_version,
}: Envelope): string {
  const identity = { tenant_id, request_type, input_ref, output_ref, payload, schema_version }
  return idempotencyHash(identity as Parameters<typeof idempotencyHash>[0])
}
