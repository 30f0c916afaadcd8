// The one way in which the page speaks to the server.

/** What the server answers when something is wrong, as RFC 9457 has it. */
interface Problem {
  readonly title?: string
  readonly detail?: string
  readonly status?: number
  readonly code?: string
  readonly field?: string | null
  readonly next?: string
  readonly request_id?: string
  readonly details?: { readonly [name: string]: unknown }
}

export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly field: string | null
  /** What can be done about it. */
  readonly next: string | null
  readonly requestId: string | null
  readonly details: { readonly [name: string]: unknown }

  constructor(status: number, problem: Problem) {
    super(problem.detail ?? problem.title ?? `The server answered with ${status}`)
    this.name = 'ApiError'
    this.status = status
    this.code = problem.code ?? `HTTP_${status}`
    this.field = problem.field ?? null
    this.next = problem.next ?? null
    this.requestId = problem.request_id ?? null
    this.details = problem.details ?? {}
  }
}

/** Nobody answered: the server is gone, or the way to it. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}

export interface Asked {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** What is undefined or empty is left out. */
  readonly query?: Query
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
  readonly signal?: AbortSignal | undefined
}

export type Query = { readonly [name: string]: string | number | boolean | undefined | null }

type OnSessionLost = () => void
let onSessionLost: OnSessionLost = () => undefined

/** Called when the server no longer knows who asks. */
export function whenSessionLost(listener: OnSessionLost): void {
  onSessionLost = listener
}

export async function ask<T>(path: string, asked: Asked = {}): Promise<T> {
  const response = await answerTo(path, asked)
  if (response.ok) return (await response.json()) as T
  const problem = (await response.json().catch(() => ({}))) as Problem
  if (response.status === 401 && path !== '/v1/session') onSessionLost()
  throw new ApiError(response.status, problem)
}

async function answerTo(path: string, { method = 'GET', query, body, headers, signal }: Asked) {
  try {
    return await fetch(withQuery(path, query), {
      method,
      headers: { ...headers, ...(body === undefined ? null : { 'content-type': 'application/json' }) },
      ...(body === undefined ? null : { body: JSON.stringify(body) }),
      ...(signal === undefined ? null : { signal }),
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new Unreachable('The server cannot be reached', { cause: error })
  }
}

export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value))
  }
  const text = search.toString()
  return text === '' ? path : `${path}?${text}`
}

/** `/v1/jobs/{}` with ids that may have anything in them. */
export function path(template: string, ...ids: readonly string[]): string {
  let i = 0
  return template.replace(/\{\}/g, () => encodeURIComponent(ids[i++] ?? ''))
}
