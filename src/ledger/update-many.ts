import type { DeprecatedState, LedgerState } from '../core/document/states.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { Conflict, InvalidStateTransition, StaleEtag } from '../errors/refusal-errors.ts'
import type { WaybillError } from '../errors/waybill-error.ts'
import { checkCount } from './check-input.ts'
import type { UpdateOptions } from './command-options.ts'

/** One of many updates. */
export interface DocumentUpdate extends UpdateOptions {
  readonly doc_id: string
  readonly state: LedgerState | DeprecatedState
}

/** An update that was not made, and why. The others were. */
export interface RefusedUpdate {
  /** Which one, from 0. */
  readonly index: number
  readonly update: DocumentUpdate
  readonly error: WaybillError
}

export interface BulkReport {
  readonly updated: number
  readonly refused: number
  /** The first thousand; `onRefused` is told of every one. */
  readonly refusals: readonly RefusedUpdate[]
}

export interface BulkOptions {
  /** How many are under way at once; a thousand unless told. They share their writes to the disk. */
  readonly concurrency?: number | undefined
  readonly onRefused?: ((refused: RefusedUpdate) => void) | undefined
}

type Updates = Iterable<DocumentUpdate> | AsyncIterable<DocumentUpdate>

const CONCURRENCY = 1000
const REFUSALS_TOLD = 1000

/** Each by itself: one that is refused does not hold up the others. Those of one document are made in their order. */
export async function updateMany(
  updates: Updates,
  { concurrency = CONCURRENCY, onRefused }: BulkOptions,
  update: (one: DocumentUpdate) => Promise<unknown>,
): Promise<BulkReport> {
  const places = new Places(Math.max(1, checkCount('concurrency', concurrency)))
  const underWay = new Map<string, Promise<void>>()
  const refusals: RefusedUpdate[] = []
  const failures: unknown[] = []
  let [index, updated, refused] = [-1, 0, 0]
  try {
    for await (const one of updates) {
      const nth = ++index
      await places.take()
      if (failures.length > 0) break
      const before = underWay.get(one.doc_id)
      const made = (before === undefined ? update(one) : before.then(() => update(one))).then(
        () => void updated++,
        (error: unknown) => {
          if (!isAboutOne(error)) return void failures.push(error)
          const refusal = { index: nth, update: one, error }
          if (refused++ < REFUSALS_TOLD) refusals.push(refusal)
          onRefused?.(refusal)
        },
      )
      const settled = made
        .catch((error: unknown) => void failures.push(error))
        .finally(() => {
          if (underWay.get(one.doc_id) === settled) underWay.delete(one.doc_id)
          places.free()
        })
      underWay.set(one.doc_id, settled)
    }
  } finally {
    await Promise.all(underWay.values())
  }
  if (failures.length > 0) throw failures[0]
  return { updated, refused, refusals }
}

/** Anything else, such as a full disk, would befall all that come after it too. */
function isAboutOne(error: unknown): error is WaybillError {
  return [InvalidInput, InvalidStateTransition, StaleEtag, Conflict].some((kind) => error instanceof kind)
}

/** A bounded number of places; whoever finds none free waits for one. */
class Places {
  #free: number
  #waiting: (() => void) | null = null

  constructor(places: number) {
    this.#free = places
  }

  async take(): Promise<void> {
    if (this.#free === 0) await new Promise<void>((resolve) => (this.#waiting = resolve))
    this.#free--
  }

  free(): void {
    this.#free++
    this.#waiting?.()
    this.#waiting = null
  }
}
