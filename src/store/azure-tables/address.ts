import { InvalidInput } from '../../errors/input-errors.ts'

const SCHEME = /^azure-tables:/i

/** Without a certificate only what does not leave the machine. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

const TABLE_PREFIX = /^[A-Za-z][A-Za-z0-9]{0,19}$/

/** The same for every emulator, and no secret. */
const DEVELOPMENT_ACCOUNT =
  'AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;TableEndpoint=http://127.0.0.1:10002/devstoreaccount1'

const EXAMPLES =
  'Give it like azure-tables:https://account.table.core.windows.net, or azure-tables: and the connection string of the account.'

/** Where the tables are, and what the address says of who asks. */
export interface Account {
  /** Without a slash at its end. */
  readonly endpoint: string
  readonly key: { readonly name: string; readonly key: string } | null
  /** The parameters of a shared access signature, as they were given. */
  readonly signature: string | null
  readonly tablePrefix: string | undefined
}

export function accountOf(url: string): Account {
  if (!SCHEME.test(url)) throw new InvalidInput('url', 'That is no address of Azure tables', EXAMPLES)
  const rest = url.replace(SCHEME, '')
  return /^[a-z]+:\/\//i.test(rest) ? fromUrl(rest) : fromConnectionString(rest)
}

/** The address as it may be shown: without a key or a signature. Given as an address, it means the same account. */
export function shownAddress(url: string): string {
  const { endpoint, tablePrefix } = accountOf(url)
  return `azure-tables:${endpoint}${tablePrefix === undefined ? '' : `?prefix=${tablePrefix}`}`
}

export function checkedPrefix(prefix: string): string {
  if (TABLE_PREFIX.test(prefix)) return prefix
  throw new InvalidInput(
    'tablePrefix',
    `${JSON.stringify(prefix)} cannot be what names of tables begin with`,
    'Give letters and digits, the first one a letter, at most 20.',
  )
}

function fromUrl(text: string): Account {
  const url = endpointOf(text)
  // As they stand there: a signature is not to be written in another way.
  const parameters = url.search
    .slice(1)
    .split('&')
    .filter((parameter) => parameter !== '')
  const nameOf = (parameter: string) => parameter.split('=')[0] as string
  const signature = parameters.filter((parameter) => nameOf(parameter) !== 'prefix')
  const isSigned = signature.some((parameter) => nameOf(parameter) === 'sig')
  if (signature.length > 0 && !isSigned) {
    throw new InvalidInput(
      'url',
      `The address holds ${signature.map(nameOf).join(', ')}, which is neither a prefix nor a signature`,
      `Leave it out. A signature has all that Azure gives it, with sig= in it. ${EXAMPLES}`,
    )
  }
  const prefix = url.searchParams.get('prefix')
  return {
    endpoint: withoutQuery(url),
    key: null,
    signature: isSigned ? signature.join('&') : null,
    tablePrefix: prefix === null ? undefined : checkedPrefix(prefix),
  }
}

function fromConnectionString(text: string): Account {
  const parts = partsOf(text)
  const { tableprefix: prefix } = parts
  const given = parts.usedevelopmentstorage?.toLowerCase() === 'true' ? partsOf(DEVELOPMENT_ACCOUNT) : parts
  const { accountname: name, accountkey: key, sharedaccesssignature: signature } = given
  if (name === undefined && given.tableendpoint === undefined)
    throw unclear('It has neither AccountName nor TableEndpoint')
  if (key !== undefined && name === undefined) throw unclear('It has an AccountKey and no AccountName')
  const endpoint = endpointOf(
    given.tableendpoint ??
      `${given.defaultendpointsprotocol ?? 'https'}://${name}.table.${given.endpointsuffix ?? 'core.windows.net'}`,
  )
  return {
    endpoint: withoutQuery(endpoint),
    key: name === undefined || key === undefined ? null : { name, key },
    signature: key === undefined && signature !== undefined ? signature.replace(/^\?/, '') : null,
    tablePrefix: prefix === undefined ? undefined : checkedPrefix(prefix),
  }
}

/** By their names in lower case. A value may hold what separates a name from it: keys end with some. */
function partsOf(text: string): { readonly [name: string]: string | undefined } {
  const parts = text.split(';').filter((part) => part.trim() !== '')
  if (parts.length === 0 || parts.some((part) => part.indexOf('=') < 1))
    throw unclear('Its parts are names and values: Name=value;Name=value')
  return Object.fromEntries(
    parts.map((part) => {
      const end = part.indexOf('=')
      return [part.slice(0, end).trim().toLowerCase(), part.slice(end + 1).trim()]
    }),
  )
}

function endpointOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '')
    throw new InvalidInput('url', 'That is no address of Azure tables', EXAMPLES)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.includes(url.hostname))) return url
  throw new InvalidInput(
    'url',
    `${url.protocol}//${url.host} would be asked in the clear`,
    'Give it with https://. Only an emulator on the same machine may be asked without.',
  )
}

function withoutQuery(url: URL): string {
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/** Without what was given: there is a key in it. */
function unclear(what: string): InvalidInput {
  return new InvalidInput('url', `The connection string is not understood. ${what}`, EXAMPLES)
}
