// One real browser for all files of the suite: starting one takes longer than most tests. It comes from npm, so that there is
// nothing to install; each test has a context of its own in it.
import chromium from '@sparticuz/chromium'
import { type BrowserServer, chromium as playwright } from 'playwright-core'

/** It reaches nobody but the server under test. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
]

let server: BrowserServer | undefined

export async function setup(): Promise<void> {
  server = await playwright.launchServer({ executablePath: await chromium.executablePath(), args: ARGS })
  process.env.WAYBILL_TEST_BROWSER = server.wsEndpoint()
}

export async function teardown(): Promise<void> {
  await server?.close()
}
