import { openLedger } from 'waybill'
import { serve } from 'waybill/server'
import { heading, paint } from './paint.ts'

/** Lets people look around in what has happened. */
export async function serveUntilStopped(folder: string): Promise<void> {
  await using ledger = await openLedger(folder)
  await using server = await serve(ledger)
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  console.log(`${heading('LOOK AROUND')}
    ${paint('bold', server.link())}
    ${paint('dim', 'The link opens the page once. Ctrl-C ends it.')}
`)
  await stopped
}
