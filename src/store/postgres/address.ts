import { InvalidInput } from '../../errors/input-errors.ts'
import { isPlain, shownUrl } from '../../errors/shown-url.ts'
import type { PostgresOptions } from './postgres-options.ts'

const SCHEMES = ['postgres:', 'postgresql:']

/** What of the options may stand in the URL, for whoever has nothing but a URL to give: the command line. */
const SWITCHES = ['listen', 'prepare'] as const

/** The URL as it may be shown: without a password, wherever it stands. */
export function shownAddress(url: string): string {
  return shownUrl(checked(url).href)
}

type UrlOptions = Pick<PostgresOptions, 'schema' | (typeof SWITCHES)[number]>

/** The URL as the driver is to have it, and the options that it holds. */
export function partsOf(url: string): { url: string; options: UrlOptions } {
  const parsed = checked(url)
  const { searchParams } = parsed
  const given = ['schema', ...SWITCHES].filter((name) => searchParams.has(name))
  if (given.length === 0) return { url, options: {} }
  const options = Object.fromEntries(
    given.map((name) => {
      const text = searchParams.get(name) as string
      return [name, name === 'schema' ? text : switchOf(name, text)]
    }),
  )
  for (const name of given) searchParams.delete(name)
  return { url: parsed.href, options }
}

function switchOf(name: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new InvalidInput(name, `${JSON.stringify(text)} is neither true nor false`, `Give ?${name}=false.`)
}

function checked(url: string): URL {
  const parsed = isPlain(url) ? new URL(url) : null
  if (parsed !== null && SCHEMES.includes(parsed.protocol)) return parsed
  const next =
    'Give it like postgres://user:password@host:5432/database. In a password / ? # and @ are written %2F %3F %23 and %40.'
  throw new InvalidInput('url', 'That is no address of a PostgreSQL server', next)
}
