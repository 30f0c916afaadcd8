import { ownPayload } from '../core/job/new-job.ts'
import type { Protocol } from '../core/job/protocol.ts'
import type { Json } from '../core/json.ts'
import { InvalidInput, UnknownRequestType } from '../errors/input-errors.ts'
import { checkedProtocol } from './checked-protocol.ts'
import { type JsonCheck, jsonCheck } from './json-schema.ts'
import { plainProtocol } from './plain-protocol.ts'

/** The protocols that this ledger answers requests with. */
export class Protocols {
  readonly #byRequestType = new Map<string, Protocol>()
  /** As the ledger keeps them, by what they were made from: a pipeline brings the same one with every job. */
  readonly #checked = new WeakMap<Protocol, Protocol>()
  /** What the payload of each step has to be, for protocols that say something of it. */
  readonly #payloads = new WeakMap<Protocol, ReadonlyMap<string, JsonCheck>>()

  register(protocol: Protocol): void {
    this.#byRequestType.set(protocol.request_type, this.#check(protocol))
  }

  /** The protocol of one request, which nobody registered. */
  adopt(protocol: Protocol): Protocol {
    return this.#checked.get(protocol) ?? this.#check(protocol)
  }

  #check(protocol: Protocol): Protocol {
    const kept = plainProtocol(protocol) ?? checkedProtocol(protocol)
    checkNames(kept)
    checkResumes(kept)
    const payloads = payloadChecks(kept)
    this.#checked.set(protocol, kept)
    if (payloads.size > 0) this.#payloads.set(kept, payloads)
    return kept
  }

  /** Each step's part of the payload against what its protocol says of it. */
  checkPayload({ payload }: { readonly payload: Json }, protocol: Protocol): void {
    for (const [step_id, check] of this.#payloads.get(protocol) ?? []) {
      const own = ownPayload(payload, step_id)
      const problem = check(own ?? payload)
      if (problem === null) continue
      const place = own === null ? 'payload' : `payload.steps.${step_id}`
      const field = problem.path === '' ? place : `${place}.${problem.path}`
      throw new InvalidInput(field, `${field} ${problem.message}`, `Correct it: step ${step_id} needs it so.`)
    }
  }

  /** Every one there is. */
  all(): readonly Protocol[] {
    return [...this.#byRequestType.values()]
  }

  get(request_type: string): Protocol {
    const protocol = this.#byRequestType.get(request_type)
    if (protocol === undefined) throw new UnknownRequestType(request_type, [...this.#byRequestType.keys()])
    return protocol
  }
}

/** A gate lets a job go on, never back. */
function checkResumes({ steps }: Protocol): void {
  for (const [i, step] of steps.entries()) {
    const resume = step.gate?.resume
    if (resume === undefined || steps.slice(i).some(({ step_id }) => step_id === resume)) continue
    throw new InvalidInput(
      `steps.${i}.gate.resume`,
      `The gate of step ${step.step_id} resumes at ${resume}, which is no later step`,
      'Name the step itself or one after it, or leave it out.',
    )
  }
}

/** Steps have names of their own. */
function checkNames({ steps }: Protocol): void {
  const ids = steps.map(({ step_id }) => step_id)
  const twice = ids.find((id, i) => ids.indexOf(id) !== i)
  if (twice === undefined) return
  throw new InvalidInput('steps', `Step ${twice} is there twice`, 'Give every step of a protocol its own id.')
}

function payloadChecks({ steps }: Protocol): ReadonlyMap<string, JsonCheck> {
  const checks = new Map<string, JsonCheck>()
  for (const [index, { step_id, payload_schema }] of steps.entries()) {
    if (payload_schema !== undefined) {
      checks.set(step_id, jsonCheck(`steps.${index}.payload_schema`, payload_schema))
    }
  }
  return checks
}
