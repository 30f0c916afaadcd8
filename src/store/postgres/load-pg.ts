import type { Client, ClientConfig } from 'pg'
import { MissingPackage } from '../../errors/message-errors.ts'

/** What is needed of node-postgres, which only those have to install who use this engine. */
export interface Pg {
  newClient(config: ClientConfig): PgClient
}

/**
 * Its types do not say that a connection may be left out when it is asked whether the process has something to do, nor that
 * there is a stream behind it.
 */
export type PgClient = Client & {
  ref(): void
  unref(): void
  readonly connection: { readonly stream: { cork(): void; uncork(): void } }
}

const BIGINT_OID = 20
const BIGINT_ARRAY_OID = 1016

/** As many milliseconds, places and versions as there will ever be are safe numbers. */
const numbers = (text: string): readonly number[] =>
  text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)

export async function loadPg(): Promise<Pg> {
  const { default: pg } = await import('pg').catch((cause) => {
    throw new MissingPackage({ what: 'The PostgreSQL engine', packages: ['pg'] }, { cause })
  })
  const getTypeParser = ((oid: number, format?: string) => {
    if (oid === BIGINT_OID) return Number
    if (oid === BIGINT_ARRAY_OID) return numbers
    return pg.types.getTypeParser(oid, format as 'text')
  }) as typeof pg.types.getTypeParser
  return { newClient: (config) => new pg.Client({ ...config, types: { getTypeParser } }) as PgClient }
}
