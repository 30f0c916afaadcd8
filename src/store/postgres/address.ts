import { InvalidInput } from '../../errors/input-errors.ts'

const SCHEMES = ['postgres:', 'postgresql:']

/** Parameters of a URL that hold secrets. */
const SECRETS = ['password', 'sslpassword', 'passfile']

/** The URL as it may be shown: without a password, wherever it stands. */
export function shownAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || !SCHEMES.includes(parsed.protocol)) {
    const next = 'Give it like postgres://user:password@host:5432/database.'
    throw new InvalidInput('url', 'that is no address of a PostgreSQL server', next)
  }
  parsed.password = ''
  for (const name of SECRETS) parsed.searchParams.delete(name)
  return parsed.href
}
