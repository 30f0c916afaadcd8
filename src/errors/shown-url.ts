// Where a ledger is, as it may be shown: in a message, a hint or a log nobody wants to find a password.

/** Parameters of a URL that hold secrets. */
const SECRETS = ['password', 'sslpassword', 'passfile', 'sig']

/** Parts of a connection string that do. */
const SECRET_PARTS = ['AccountKey', 'SharedAccessSignature']

const SHOWN_PART =
  /^\s*(?:DefaultEndpointsProtocol|AccountName|EndpointSuffix|TableEndpoint|UseDevelopmentStorage|TablePrefix)=[^?&@]*$/i

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

/** Is followed by a connection string, or by another URL. */
const TABLES = /^azure-tables:/i

/** Also of a URL that makes no sense, such as one whose password should have been escaped. An example shows where it goes. */
const CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/[^\s/:@'"]*):(?!password@host)[^\s@'"]*@/gi

/** A signature may be shown without the URL that it is for. What has no quotes in it may be quoted, in JSON as well. */
const SECRET_PARAMETERS = new RegExp(`((?:[?&](?:${SECRETS.join('|')})|\\bsig)=)[^\\s&;'"\\\\]*`, 'gi')

/** Up to the next part. */
const SECRET_VALUES = new RegExp(`\\b((?:${SECRET_PARTS.join('|')})=)[^\\s;'"\\\\]*`, 'gi')

/** The URL without a password, wherever it stands. */
export function shownUrl(url: string): string {
  const tables = TABLES.exec(url)?.[0]
  if (tables !== undefined) {
    const rest = url.slice(tables.length)
    return tables + (SCHEME.test(rest) ? shownUrl(rest) : shownParts(rest))
  }
  // Whoever forgets what a connection string begins with has given the path of a folder.
  if (!SCHEME.test(url)) return url.replace(SECRET_VALUES, '$1…')
  if (!isPlain(url)) return `${SCHEME.exec(url)?.[0]}…`
  const parsed = new URL(url)
  if (parsed.password === '' && !SECRETS.some((name) => parsed.searchParams.has(name))) return url
  parsed.password = ''
  for (const name of SECRETS) parsed.searchParams.delete(name)
  return parsed.href
}

/** A connection string without a key. Only what is known is shown: anything else may be the rest of one. */
function shownParts(text: string): string {
  return text
    .split(';')
    .filter((part) => SHOWN_PART.test(part))
    .join(';')
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
  return text.replace(CREDENTIALS, '$1@').replace(SECRET_VALUES, '$1…').replace(SECRET_PARAMETERS, '$1…')
}
