import { InvalidInput } from '../../errors/input-errors.ts'
import { isPlain, shownUrl } from '../../errors/shown-url.ts'
import type { PostgresOptions } from './postgres-options.ts'

const SCHEMES = ['postgres:', 'postgresql:']

/** What of the options may stand in the URL, for whoever has nothing but a URL to give: the command line. */
const PARAMETERS = ['schema', 'listen'] as const

/** The URL as it may be shown: without a password, wherever it stands. */
export function shownAddress(url: string): string {
  return shownUrl(checked(url).href)
}

/** The URL as the driver is to have it, and the options that it holds. */
export function partsOf(url: string): { url: string; options: Pick<PostgresOptions, 'schema' | 'listen'> } {
  const parsed = checked(url)
  const [schema, listen] = PARAMETERS.map((name) => parsed.searchParams.get(name))
  if (schema == null && listen == null) return { url, options: {} }
  if (listen != null && listen !== 'true' && listen !== 'false') {
    throw new InvalidInput(
      'listen',
      `${JSON.stringify(listen)} is neither true nor false`,
      'Give ?listen=false.',
    )
  }
  for (const name of PARAMETERS) parsed.searchParams.delete(name)
  return {
    url: parsed.href,
    options: {
      ...(schema == null ? null : { schema }),
      ...(listen == null ? null : { listen: listen === 'true' }),
    },
  }
}

function checked(url: string): URL {
  const parsed = isPlain(url) ? new URL(url) : null
  if (parsed !== null && SCHEMES.includes(parsed.protocol)) return parsed
  const next =
    'Give it like postgres://user:password@host:5432/database. In a password / ? # and @ are written %2F %3F %23 and %40.'
  throw new InvalidInput('url', 'That is no address of a PostgreSQL server', next)
}
