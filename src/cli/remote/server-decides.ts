import type { Session } from '../session.ts'

/** Options that say how a ledger is opened count for whoever opens it: with a server in between, that is the server. */
export async function tellServerDecides(
  session: Session,
  given: { readonly [option: string]: unknown },
): Promise<void> {
  const names = Object.keys(given).filter((name) => given[name] !== undefined)
  if (session.serverUrl === null || names.length === 0) return
  const { serverUrl: server } = session
  const what = names.map((name) => `--${name}`).join(' and ')
  const counts = names.length === 1 ? 'does' : 'do'
  await session.notes.hint(
    `The server at ${server} has the ledger: ${what} ${counts} not count here, but what it was started with.`,
  )
}
