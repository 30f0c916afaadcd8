// A write that is added to the tail, as the parameters of the function that does so.
import type { Claim, Signal } from '../../core/decision.ts'
import { claimOf } from '../tables/birth-runs.ts'
import type { NewChunk } from '../tables/log-parts.ts'
import type { WriteSet } from '../tables/tables.ts'
import type { FormedPart } from '../tables/tail/part-forms.ts'
import { partText } from '../tables/tail/part-text.ts'
import type { Mark } from '../tables/tail/tail.ts'
import { textsOf } from './binary-array.ts'
import type { Value } from './write-values.ts'

export const APPEND_PARAMETERS = 14

export interface AppendStamp {
  readonly writer: string
  readonly batch: number
  /** Who is to be named in the notification. */
  readonly process: string
  /** Somebody may wait for a signal. */
  readonly isAwaited: boolean
}

export function appendValues(set: WriteSet, after: Mark, stamp: AppendStamp): readonly Value[] {
  const { writer, batch, process, isAwaited } = stamp
  const chunk = set.chunk as NewChunk
  const signals = isAwaited ? set.signals : []
  return [
    after.seq + 1,
    chunk.places,
    set.at,
    after.turn,
    writer,
    batch,
    set.isNews ? process : null,
    ...claimValues(set),
    ...pairValues<Signal>(
      signals,
      ({ tenant_id }) => tenant_id,
      ({ topic }) => topic,
    ),
    partText(set, chunk),
  ]
}

/** The same of a new job by the form that it has. */
export function formedValues(
  { chunk, at, claims }: WriteSet,
  { form, own }: FormedPart,
  after: Mark,
  { writer, batch, process }: AppendStamp,
): readonly Value[] {
  const { tenant_id, key } = claims[0] as Claim
  const { places } = chunk as NewChunk
  return [after.seq + 1, places, at, writer, batch, form.id, own, after.turn, process, tenant_id, key]
}

/** One by itself, or a list of them. */
function claimValues({ runs, claims }: WriteSet): readonly Value[] {
  const [claim] = claims
  if (runs.length === 0 && claims.length <= 1)
    return [claim?.tenant_id ?? null, claim?.key ?? null, null, null]
  const all = [...runs.flatMap(({ births }) => births.map(claimOf)), ...claims]
  return [
    null,
    null,
    ...pairValues<Claim>(
      all,
      ({ tenant_id }) => tenant_id,
      ({ key }) => key,
    ),
  ]
}

function pairValues<T>(
  all: readonly T[],
  tenant: (one: T) => string,
  name: (one: T) => string,
): readonly Value[] {
  return all.length === 0 ? [null, null] : [textsOf(all, tenant), textsOf(all, name)]
}
