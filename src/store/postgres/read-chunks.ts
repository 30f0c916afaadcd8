// Parts of the log with some tags, in order. The index of tags has no order, and what many parts have is found sooner by walking
// along the log; how many have it is not known beforehand. So a few are looked at, then more, and the index is asked about
// what is rare.
import type { Chunk, ChunkSelect } from '../tables/log-parts.ts'
import type { Query } from './link.ts'
import type { LogQueries } from './log-queries.ts'

const LOOKS = [256, 2048]

type Read = <R extends object>(query: Query) => Promise<readonly R[]>

type Near = (Chunk | { readonly first_seq: null }) & { readonly looked: number }

export async function readChunks(
  queries: LogQueries,
  select: ChunkSelect,
  read: Read,
): Promise<readonly Chunk[]> {
  if (select.ids !== undefined || select.tags.length === 0) return read(queries.chunks(select))
  for (const look of LOOKS) {
    const rows = await read<Near>(queries.near(select, look))
    const found = rows.flatMap((row) =>
      row.first_seq === null ? [] : [{ first_seq: row.first_seq, entries: row.entries }],
    )
    const isAll = (rows[0]?.looked ?? 0) < look
    if (isAll || found.length >= select.limit) return found
  }
  return read(queries.tagged(select))
}
