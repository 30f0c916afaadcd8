import { WrongOrigin } from '../../errors/http-errors.ts'

export interface Provenance {
  readonly method: string
  readonly host: string
  readonly origin: string | undefined
  /** What browsers say of where a request comes from, and pages cannot change. */
  readonly fetchSite: string | undefined
  /** It is let in because the browser has a cookie of ours. */
  readonly isSession: boolean
}

const SAFE = new Set(['GET', 'HEAD'])

/**
 * Nothing is done for a page of another site, with or without a cookie. A browser that shows a cookie and wants something
 * changed has to say that it is our own page that asks; programs say nothing of the kind, and show a token.
 */
export function checkOrigin(given: Provenance): void {
  const { method, host, origin, fetchSite, isSession } = given
  if (origin !== undefined && !isSameOrigin(origin, host)) throw new WrongOrigin()
  const isOwnPage = fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none'
  if (!isOwnPage) throw new WrongOrigin()
  if (isSession && !SAFE.has(method) && origin === undefined && fetchSite !== 'same-origin')
    throw new WrongOrigin()
}

function isSameOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`
}
