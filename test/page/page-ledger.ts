// A real ledger behind a real server, opened in a real browser. Whatever the page complains about fails the test: errors on
// its console, exceptions, and everything that its content security policy had to forbid.
import { rmSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Role } from '../../src/core/token/record.ts'
import { type LedgerOptions, openLedger } from '../../src/open-ledger.ts'
import { type ServeOptions, serve } from '../../src/server/serve.ts'
import { quickFolder } from '../fixtures/quick-folder.ts'

export interface OpenOptions {
  /** Where to; the dashboard unless given. */
  readonly at?: string
  /** Who; `admin` unless given. */
  readonly role?: Role
  /** Of which tenants; all unless given. */
  readonly tenants?: readonly string[]
  readonly colours?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  /** What the console may say: what is being tested makes the browser complain. */
  readonly mayComplain?: RegExp
}

interface Complaints {
  readonly said: string[]
  readonly may: RegExp | undefined
}

/** What a browser with axe has to be without. */
const PATIENCE_MS = 10_000

export type PageLedger = Awaited<ReturnType<typeof pageLedger>>

export async function pageLedger(
  options: { readonly ledger?: LedgerOptions; readonly serve?: ServeOptions } = {},
) {
  const folder = quickFolder('waybill-page-')
  const ledger = await openLedger(folder, { inFlightLimit: 1_000_000, ...options.ledger })
  let server = await serve(ledger, { ...options.serve })
  const browser = await chromium.connect(process.env.WAYBILL_TEST_BROWSER as string)
  const contexts: { readonly context: BrowserContext; readonly complaints: Complaints }[] = []

  async function open(given: OpenOptions = {}): Promise<Page> {
    const context = await newContext(browser, given)
    const complaints: Complaints = { said: [], may: given.mayComplain }
    contexts.push({ context, complaints })
    const page = await context.newPage()
    listen(page, complaints)
    await page.goto(await linkFor(given))
    await page.waitForURL(({ pathname }) => pathname === '/')
    if (given.at !== undefined && given.at !== '/') await page.goto(server.url + given.at)
    return page
  }

  async function linkFor({ role = 'admin', tenants }: OpenOptions): Promise<string> {
    // Whoever runs the server needs no token, and leaves none in the history.
    if (role === 'admin' && tenants === undefined) return server.link()
    const named = [...(tenants ?? ['*'])] as [string]
    const { token } = await ledger.tokens.mint({ name: 'ann', role, tenants: named })
    const response = await fetch(`${server.url}/v1/links`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    })
    return ((await response.json()) as { url: string }).url
  }

  return {
    ledger,
    folder,
    open,
    get url() {
      return server.url
    },
    /** The server goes away, as when it is started again elsewhere; what is answered must be done. */
    async stopServer(): Promise<void> {
      await server.close()
    },
    /** At the same address; browsers have to come in again. */
    async startServer(): Promise<void> {
      const port = Number(new URL(server.url).port)
      server = await serve(ledger, { ...options.serve, port })
    },
    /** Ends what a test opened, and says what its pages complained about. */
    async closePages(): Promise<void> {
      for (const { context, complaints } of contexts.splice(0)) {
        await context.close()
        const { said, may } = complaints
        expect(said.filter((text) => may?.test(text) !== true)).toEqual([])
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(contexts.map(({ context }) => context.close()))
      await browser.close()
      await server.close()
      await ledger.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function newContext(browser: Browser, given: OpenOptions): Promise<BrowserContext> {
  const { colours = 'light', width = 1280, height = 900 } = given
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: colours,
    locale: 'en-US',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(PATIENCE_MS)
  // A policy that was broken is told to the document only.
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
      console.error(`CSP ${violatedDirective} ${blockedURI} ${sample}`)
    })
  })
  return context
}

function listen(page: Page, { said }: Complaints): void {
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') said.push(message.text())
  })
  page.on('pageerror', (error) => said.push(String(error)))
  page.on('dialog', (dialog) => {
    said.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
}
