import type { Cursor } from '../../store/query.ts'
import type { EventClient } from './event-client.ts'
import { type FollowOptions, followLog } from './follow-log.ts'
import { frameOf, placeOf } from './frame.ts'

/**
 * A client that reads the log by itself, where that has an order for each record only: what one of them has seen says
 * nothing of what comes next for another.
 */
export async function followAlone(
  client: EventClient,
  options: Pick<FollowOptions, 'ledger' | 'world'> & { readonly after: Cursor | undefined },
): Promise<void> {
  let { after } = options
  const { query } = client.selection
  const end = await followLog({
    ...options,
    after: () => after,
    tenant_id: query?.tenant_id,
    signal: client.ended,
    take: async (record) => {
      after = record.cursor
      const { bytes, ...frame } = frameOf(record)
      if (client.selection.matches(record)) client.send(bytes, { frames: 1, place: placeOf(frame) })
      else client.passOver(placeOf(frame))
      await client.drained()
    },
  })
  if (end === 'closed') client.end()
  if (end === 'lost') client.drop('log lost')
}
