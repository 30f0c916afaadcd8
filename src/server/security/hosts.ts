// Which names the server goes by. A page of another site can have its own name lead to this machine (DNS rebinding), and
// the browser then takes us for that site: so a request is only looked at when it names us as we know ourselves.

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** A name or address, and a port perhaps, as RFC 9110 has it; nothing else that a parser may read otherwise. */
const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?::(\d{1,5}))?$/i

const LARGEST_PORT = 65_535

export class Hosts {
  readonly #names: ReadonlySet<string>

  /** Beside those of this machine. The port is not looked at: it says nothing about who asks, and may be forwarded. */
  constructor(names: readonly string[] = []) {
    this.#names = new Set([...LOOPBACK, ...names.map((name) => name.toLowerCase())])
  }

  /** The values of all Host headers that came. */
  isOurs(hosts: readonly string[]): boolean {
    const [host] = hosts
    if (host === undefined || hosts.length > 1) return false
    const match = HOST.exec(host)
    if (match === null || Number(match[2] ?? 0) > LARGEST_PORT) return false
    return this.#names.has((match[1] as string).toLowerCase())
  }
}

/** Whom a request is for that says so in its first line, as those to a proxy do: that counts before the header does. */
export function authorityIn(target: string): string | null {
  if (target.startsWith('/') || target === '*') return null
  return /^https?:\/\/([^/?#]*)/i.exec(target)?.[1] ?? ''
}

/** The values of a header, each as it came: Node joins them, or keeps the first. */
export function rawValues(rawHeaders: readonly string[], name: string): readonly string[] {
  const values: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i] as string
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[i + 1] as string)
  }
  return values
}
