import type { HttpServer } from '../../../server/serve.ts'
import type { Logger } from '../../../world/logger.ts'
import { safeText } from '../../output/safe-text.ts'
import type { Session } from '../../session.ts'
import type { WorkPlan } from '../worker/work-plan.ts'

interface Told {
  readonly server: HttpServer
  readonly plan: WorkPlan | null
  readonly logger: Logger
  readonly auth: boolean
  readonly link: boolean
}

/** Where it is, how to get in, and how to stop it. All of it is output: the error stream is the log. */
export async function tellServer(session: Session, told: Told): Promise<void> {
  const { server, plan, logger, auth } = told
  const { url } = server
  const link = auth && told.link ? server.link() : null
  const works_on = Object.keys(plan?.handlers ?? {})
  const publishes_to = Object.keys(plan?.publishers ?? {})
  if (!auth) logger.warn({ url }, 'Everybody on this machine may do everything: nobody has to show a token')
  if (session.isJson) {
    const { shownLedger: ledger } = session
    return session.json({ url, link, auth, pid: process.pid, ledger, works_on, publishes_to })
  }
  const { out } = session
  const aside = (text: string) => out.line(out.paint('dim', safeText(text)))
  await out.line(`${safeText(session.shownLedger)} is served at ${out.paint('bold', url)}`)
  if (link !== null) await out.line(`Open the page, once and within 15 minutes: ${link}`)
  if (auth) await aside(`A token for a program: ${session.hintOf('tokens create NAME --role operator')}`)
  if (works_on.length > 0) await aside(`It works on ${works_on.join(', ')}.`)
  if (publishes_to.length > 0) await aside(`It publishes to ${publishes_to.join(', ')}.`)
  await aside('Ctrl-C stops it.')
}
