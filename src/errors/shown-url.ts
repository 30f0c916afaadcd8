// Where a ledger is, as it may be shown: in a message, a hint or a log nobody wants to find a password.

/** Parameters of a URL that hold secrets. */
const SECRETS = ['password', 'sslpassword', 'passfile']

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

/** Also of a URL that makes no sense, such as one whose password should have been escaped. An example shows where it goes. */
const CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/[^\s/:@'"]*):(?!password@host)[^\s@'"]*@/gi

const SECRET_PARAMETERS = new RegExp(`([?&](?:${SECRETS.join('|')})=)[^\\s&'"]*`, 'gi')

/** The URL without a password, wherever it stands. */
export function shownUrl(url: string): string {
  if (!SCHEME.test(url)) return url
  if (!isPlain(url)) return `${SCHEME.exec(url)?.[0]}…`
  const parsed = new URL(url)
  if (parsed.password === '' && !SECRETS.some((name) => parsed.searchParams.has(name))) return url
  parsed.password = ''
  for (const name of SECRETS) parsed.searchParams.delete(name)
  return parsed.href
}

/**
 * Whether it is what it seems: where a password has a slash, a question mark or a hash as they are, the rest of it would be
 * taken for a path or the like, and be shown.
 */
export function isPlain(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { pathname, searchParams, hash } = new URL(url)
  return (
    !pathname.includes('@') && hash === '' && ![...searchParams.keys()].some((name) => name.includes('@'))
  )
}

/** The same for a text that may quote one. */
export function withoutPasswords(text: string): string {
  return text.replace(CREDENTIALS, '$1@').replace(SECRET_PARAMETERS, '$1…')
}
