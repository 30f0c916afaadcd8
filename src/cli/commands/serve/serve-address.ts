// Where the server listens and what it is called: checked before anything is opened.
import { Option } from 'commander'
import { InvalidInput } from '../../../errors/input-errors.ts'
import { collect } from '../../options/collect.ts'
import { wholeNumber } from '../../options/numbers.ts'

/** Nobody's in particular: 8080 and its like are taken on most machines, and 4317 is where OpenTelemetry listens. */
const DEFAULT_PORT = 7420
const LARGEST_PORT = 65_535

const LOOPBACK = '127.0.0.1'
const ANY_ADDRESS = new Set(['0.0.0.0', '::'])

export interface AddressOptions {
  readonly port: number
  readonly host: string
  readonly allowHost?: readonly string[]
  readonly publicUrl?: string
}

export function addressOptions(): readonly Option[] {
  return [
    new Option('--port <n>', 'where it listens; 0 for any port that is free')
      .argParser(parsePort)
      .default(DEFAULT_PORT),
    new Option('--host <address>', 'on which address; 0.0.0.0 for all that the machine has').default(
      LOOPBACK,
    ),
    new Option(
      '--allow-host <name>',
      'a name that it goes by, beside those of this machine; repeat it for more',
    ).argParser((text, before) => collect(parseName(text), before)),
    new Option(
      '--public-url <url>',
      'the address that people and services reach it at, when that is another, as behind a proxy',
    ).argParser(parseUrl),
  ]
}

/**
 * Where services report, which goes into directives and is kept with them: so only an address that is known to lead here, and
 * still will tomorrow. Undefined for a port that is any, and for a machine that has many addresses.
 */
export function callbackUrl({ port, host, publicUrl }: AddressOptions): string | undefined {
  if (publicUrl !== undefined) return `${publicUrl}/v1/callbacks`
  if (port === 0 || ANY_ADDRESS.has(host)) return undefined
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/v1/callbacks`
}

/** What the system says when nobody can listen there. */
export function listenError(error: unknown, { port, host }: AddressOptions): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error
  const next =
    code === 'EADDRINUSE'
      ? 'Something else listens there: give another --port, or 0 for any that is free.'
      : 'Give another --port or --host; ports below 1024 are the system administrator’s.'
  return InvalidInput.by(error, 'port', `The server cannot listen at ${host}, port ${port}: ${message}`, next)
}

function parsePort(text: string): number {
  const port = wholeNumber('port', text, 0)
  if (port <= LARGEST_PORT) return port
  throw new InvalidInput('port', `--port ${text} is none: ${LARGEST_PORT} is the last`, 'Give another.')
}

function parseName(text: string): string {
  if (/^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)$/i.test(text)) return text
  const message = `--allow-host ${JSON.stringify(text)} is not a name`
  throw new InvalidInput('allow-host', message, 'Write a name without scheme and port: waybill.example.com.')
}

function parseUrl(text: string): string {
  const url = URL.parse(text)
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === ''
  if (isPlain && url.pathname === '/' && url.hash === '') return url.origin
  const message = `--public-url ${JSON.stringify(text)} is not an address of a server`
  throw new InvalidInput('public-url', message, 'Write https://waybill.example.com, and nothing behind it.')
}
