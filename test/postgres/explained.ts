// What the server says it did for a question: which tables it went through from end to end, and how much it looked at.
import type pg from 'pg'
import { present } from '../../src/core/must.ts'
import type { Query } from '../../src/store/postgres/link.ts'

export interface Explained {
  /** Tables that were read from end to end; those that are all but empty are not worth an index. */
  readonly scanned: readonly string[]
  readonly indexes: readonly string[]
  /** Rows of tables that were looked at, whether they were wanted or not. */
  readonly rows: number
  /** Pages of 8 kB. */
  readonly pages: number
}

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Plan Rows': number
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Shared Hit Blocks'?: number
  readonly 'Shared Read Blocks'?: number
  readonly Plans?: readonly Node[]
}

type Row = { readonly 'QUERY PLAN': readonly { readonly Plan: Node }[] }

/** Runs it, with the values it was asked with. */
export async function explained(client: pg.Client, { text, values = [] }: Query): Promise<Explained> {
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`, [
    ...values,
  ])
  return toldBy(rows)
}

/** As it would be run for whatever values: statements that are prepared come to that when they have been asked often. */
export async function explainedForAll(client: pg.Client, { text }: Query): Promise<Explained> {
  // The simple protocol, in which a place for a value stays one.
  const { rows } = await client.query<Row>(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`)
  return toldBy(rows)
}

function toldBy(rows: readonly Row[]): Explained {
  const plan = present(rows[0]?.['QUERY PLAN'][0], 'a plan').Plan
  const nodes = allNodes(plan)
  return {
    scanned: nodes
      .filter((node) => node['Node Type'] === 'Seq Scan' && (node['Plan Rows'] > 1 || lookedAt(node) > 1))
      .map((node) => node['Relation Name'] ?? ''),
    indexes: [...new Set(nodes.flatMap((node) => node['Index Name'] ?? []))],
    rows: nodes.filter(isOfTable).reduce((sum, node) => sum + lookedAt(node), 0),
    pages: (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0),
  }
}

function allNodes(node: Node): readonly Node[] {
  return [node, ...(node.Plans ?? []).flatMap(allNodes)]
}

/** An index is looked into for a bitmap as well as for rows. */
function isOfTable(node: Node): boolean {
  return node['Relation Name'] !== undefined || node['Index Name'] !== undefined
}

function lookedAt(node: Node): number {
  const each =
    (node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)
  return each * (node['Actual Loops'] ?? 0)
}
