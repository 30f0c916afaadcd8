// The way to the server is lost for a while, or the server is. What was shown stays, the page says how things are, and goes on
// by itself from where it was.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CutLine, cutLine } from './cut-line.ts'
import { type PageLedger, pageLedger } from './page-ledger.ts'
import { setTheScene, TENANT } from './scene.ts'
import { settled } from './settled.ts'

/** The browser says for each request that it came to nothing. */
const LOST = /net::ERR_|Unreachable/
/** Browsers try again after a second, as the server tells them to; then everything is asked for again. */
const RESUMED_MS = 5000

let here: PageLedger

beforeAll(async () => {
  here = await pageLedger()
  await setTheScene(here.ledger, here.folder)
})
afterAll(() => here[Symbol.asyncDispose]())

const banner = (page: Page) => page.locator('main > [data-notice="disconnected"]')
const mark = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text })

async function happens(id: string): Promise<void> {
  await here.ledger.documents.updateState(id, 'fetching', { tenant_id: TENANT, actor: 'meanwhile' })
}

describe('when the line is cut', () => {
  let line: CutLine
  beforeEach(async () => {
    line = await cutLine(here.url)
  })
  afterEach(async () => {
    await here.closePages()
    await line[Symbol.asyncDispose]()
  })

  /** Ports make no difference to cookies: who is in at the server is in over the line. */
  async function openAt(path: string): Promise<Page> {
    const page = await here.open({ mayComplain: LOST })
    await page.goto(line.url + path)
    await settled(page)
    await mark(page, 'Live').waitFor()
    return page
  }

  it('what was shown stays, and what happened meanwhile is shown afterwards', async () => {
    const page = await openAt('/jobs')
    const rows = page.getByRole('table', { name: 'Jobs' }).getByRole('row')
    const before = await rows.allTextContents()
    expect(before.length).toBeGreaterThan(5)

    line.cut()
    await banner(page).waitFor()
    await mark(page, 'Disconnected').waitFor()
    expect((await rows.allTextContents()).length).toBe(before.length)
    expect(await page.getByRole('link', { name: 'ingest-done', exact: true }).isVisible()).toBe(true)

    // Another screen has nothing to show yet, and says why.
    await page.getByRole('link', { name: 'Radar' }).click()
    await page.locator('[data-notice="disconnected"]', { hasText: 'cannot be reached' }).first().waitFor()
    await page.goBack()
    await rows.nth(1).waitFor()

    await here.ledger.jobs.cancel('ingest-queued', { tenant_id: TENANT, actor: 'meanwhile' })
    line.mend()
    await mark(page, 'Live').waitFor({ timeout: RESUMED_MS })
    await banner(page).waitFor({ state: 'detached' })
    await rows
      .filter({ hasText: 'ingest-queued' })
      .filter({ hasText: 'CANCELLED' })
      .waitFor({ timeout: RESUMED_MS })
  })

  it('a screen that could not be shown is shown when the line is back', async () => {
    const page = await openAt('/jobs')
    line.cut()
    await banner(page).waitFor()
    await page.getByRole('link', { name: 'Documents' }).click()
    await page.locator('[data-notice="disconnected"]', { hasText: 'cannot be reached' }).first().waitFor()
    line.mend()
    await page.getByRole('link', { name: 'paper:bad' }).first().waitFor({ timeout: RESUMED_MS })
    expect(await page.locator('[data-notice="disconnected"]').count()).toBe(0)
  })

  it('nothing is left out of the log, and nothing is in it twice', async () => {
    const page = await openAt('/logs?f=actor:meanwhile kind:document')
    await happens('cut:0')
    await entry(page, 'cut:0').waitFor()
    for (let round = 1; round <= 2; round++) {
      line.cut()
      await banner(page).waitFor()
      for (let i = 0; i < 3; i++) await happens(`cut:${round}-${i}`)
      line.mend()
      await entry(page, `cut:${round}-2`).waitFor({ timeout: RESUMED_MS })
    }
    await happens('cut:last')
    await entry(page, 'cut:last').waitFor()
    const ids = await page
      .getByRole('table', { name: 'Log' })
      .locator('[data-seq] a')
      .evaluateAll((links) => links.map(({ textContent }) => textContent))
    const rounds = [1, 2].flatMap((round) => [0, 1, 2].map((i) => `cut:${round}-${i}`))
    expect(ids).toEqual(['cut:0', ...rounds, 'cut:last'])
  })

  function entry(page: Page, id: string) {
    return page.locator('[data-seq]').filter({ has: page.getByRole('link', { name: id, exact: true }) })
  }
})

it('a server that was started again knows nobody, and the page says how to come in', async () => {
  const page = await here.open({ at: '/jobs', mayComplain: /net::ERR_|401/ })
  await settled(page)
  await mark(page, 'Live').waitFor()
  await here.stopServer()
  await banner(page).waitFor()
  expect(await page.getByRole('link', { name: 'ingest-done', exact: true }).isVisible()).toBe(true)
  await here.startServer()
  await page.waitForURL('**/login', { timeout: RESUMED_MS })
  await page.getByText('waybill tokens link').waitFor()
  expect(await page.getByRole('status').textContent()).toContain('use the link that the server printed')
  await here.closePages()
})
