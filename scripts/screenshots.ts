// `npm run screenshots`: takes the pictures of the README and of docs/page.md anew, of what `npm start` shows, in both
// colours. With a folder named, pictures of every screen at both widths go there instead, for looking at.
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, type BrowserContext, chromium as playwright } from 'playwright-core'
import { ROOT } from './command.ts'

/** What the README shows: a name, and where it is. */
const PICTURES = {
  dashboard: '/',
  radar: '/radar',
  job: '/jobs/cascade/payslips',
  board: '/workstreams',
  logs: '/logs',
  documents: '/documents',
} as const

const MORE = {
  jobs: '/jobs',
  'job-done': '/jobs/aurora/ingest-aurora-0034',
  document: '/documents/aurora/aurora%3A0034',
  files: '/radar?tab=files',
  runs: '/runs',
  queues: '/queues',
  settings: '/settings',
} as const

/** Until the first runs of tools have got somewhere. */
const WARM_UP_MS = 40_000
/** Until a screen has been answered and drawn. */
const DRAWN_MS = 2500

const COLOURS = ['light', 'dark'] as const
const [folder] = process.argv.slice(2)
const places = folder === undefined ? PICTURES : { ...PICTURES, ...MORE }
const widths = folder === undefined ? [1280] : [1280, 400]
const into = folder ?? join(ROOT, 'docs/images')

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const demo = spawn('node', ['--conditions=waybill-source', 'examples/demo.ts'], {
  cwd: ROOT,
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const link = await linkOf(demo.stdout)
  console.log(`The demo runs; the pictures are taken in ${WARM_UP_MS / 1000} s`)
  await wait(WARM_UP_MS)
  mkdirSync(into, { recursive: true })
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--disable-gpu'],
  })
  await takeAll(browser, link)
  await browser.close()
} finally {
  demo.kill('SIGINT')
}

async function linkOf(output: NodeJS.ReadableStream): Promise<URL> {
  let printed = ''
  for await (const chunk of output) {
    printed += String(chunk)
    const link = /http:\/\/\S+\/login#[\w-]+/.exec(printed)?.[0]
    if (link !== undefined && printed.includes('Ctrl-C')) {
      output.resume()
      return new URL(link)
    }
  }
  throw new Error('The demo ended before it printed its link')
}

async function takeAll(browser: Browser, link: URL): Promise<void> {
  const cookies = await cookiesOf(browser, link)
  for (const colorScheme of COLOURS) {
    for (const width of widths) {
      const context = await browser.newContext({
        viewport: { width, height: 860 },
        colorScheme,
        locale: 'en-US',
      })
      await context.addCookies(cookies)
      await take(context, link, width === 1280 ? colorScheme : `${colorScheme}-${width}`)
      await context.close()
    }
  }
}

/** The link is good once; whoever came in by it is in for all pictures. */
async function cookiesOf(browser: Browser, link: URL) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(link.href)
  await page.waitForURL(({ pathname }) => pathname === '/')
  const cookies = await context.cookies()
  await context.close()
  return cookies
}

async function take(context: BrowserContext, link: URL, as: string): Promise<void> {
  const page = await context.newPage()
  for (const [name, path] of Object.entries(places)) {
    await page.goto(new URL(path, link).href)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await wait(DRAWN_MS)
    const file = join(into, `${name}-${as}.png`)
    await page.screenshot({ path: file })
    console.log(file)
  }
}
