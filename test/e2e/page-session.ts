// The page's side of a server: a session by a link that is good once, and what the page asks with it.

/** As a browser does it: the page of the link, and the code after the hash for a session. */
export async function openSession(link: URL): Promise<PageSession> {
  const page = await fetch(link)
  const session = await fetch(new URL('/v1/session', link), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: link.hash.slice(1) }),
  })
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
  return new PageSession(link, cookie, [page.status, session.status])
}

export class PageSession {
  /** How the link and its code were answered. */
  readonly statuses: readonly number[]
  readonly #link: URL
  readonly #headers: { readonly cookie: string }

  constructor(link: URL, cookie: string, statuses: readonly number[]) {
    this.#link = link
    this.#headers = { cookie }
    this.statuses = statuses
  }

  async get<T>(path: string): Promise<T> {
    const answer = await fetch(new URL(path, this.#link), { headers: this.#headers })
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as T
  }

  /** Resolves when something like this is in the history, which is followed until then. */
  async happened(filter: string): Promise<void> {
    const stop = new AbortController()
    const url = new URL(`/v1/events?after=0&tenant_id=*&${filter}`, this.#link)
    const { body } = await fetch(url, { headers: this.#headers, signal: stop.signal })
    let text = ''
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString()
      if (/^data:/m.test(text)) break
    }
    stop.abort()
  }
}
