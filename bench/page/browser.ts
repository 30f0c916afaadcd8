// A page of a served ledger in a real browser, and how long its frames take.
import chromium from '@sparticuz/chromium'
import { type Page, chromium as playwright } from 'playwright-core'
import type { Ledger } from 'waybill'
import { serve } from 'waybill/server'

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
]

/** Lets something look at a ledger as people do. */
export async function withPage<T>(ledger: Ledger, use: (page: Page, url: string) => Promise<T>): Promise<T> {
  const server = await serve(ledger as Parameters<typeof serve>[0])
  const browser = await playwright.launch({ executablePath: await chromium.executablePath(), args: ARGS })
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-US' })
    const page = await context.newPage()
    await page.goto(server.link())
    await page.waitForURL(({ pathname }) => pathname === '/')
    return await use(page, server.url)
  } finally {
    await browser.close()
    await server.close()
  }
}

/** What a browser has and Node does not, as far as it is used here. */
interface InBrowser {
  readonly document: { querySelector(selector: string): { scrollTop: number } | null }
  requestAnimationFrame(next: (now: number) => void): void
}

/** Milliseconds that each frame took while an element was scrolled, so far in each. */
export function frames(page: Page, selector: string, count: number, pxPerFrame: number): Promise<number[]> {
  return page.evaluate(
    ({ selector, count, pxPerFrame }) =>
      new Promise<number[]>((resolve, reject) => {
        const { document, requestAnimationFrame } = globalThis as unknown as InBrowser
        const element = document.querySelector(selector)
        if (element === null) return reject(new Error(`There is no ${selector}`))
        const took: number[] = []
        let before = performance.now()
        const next = (now: number) => {
          took.push(now - before)
          before = now
          if (took.length > count) return resolve(took.slice(1))
          element.scrollTop += pxPerFrame
          requestAnimationFrame(next)
        }
        requestAnimationFrame(next)
      }),
    { selector, count, pxPerFrame },
  )
}
