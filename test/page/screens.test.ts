// Every screen, with data and without, for those who may not, and while the server is away; in both colours and at both widths,
// looked at by axe.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { seriousProblems } from './axe.ts'
import { type PageLedger, pageLedger } from './page-ledger.ts'
import { type Scene, setTheScene, TENANT, TOOLS_TENANT } from './scene.ts'
import { settled } from './settled.ts'

let full: PageLedger
let empty: PageLedger
let scene: Scene

beforeAll(async () => {
  ;[full, empty] = await Promise.all([pageLedger(), pageLedger()])
  scene = await setTheScene(full.ledger, full.folder)
})
afterEach(async () => {
  await full.closePages()
  await empty.closePages()
})
afterAll(async () => {
  await full[Symbol.asyncDispose]()
  await empty[Symbol.asyncDispose]()
})

const LISTS: readonly string[] = [
  '/',
  '/radar',
  '/radar?tab=workstreams',
  '/radar?tab=files',
  '/jobs',
  '/documents',
  '/logs',
  '/workstreams',
  '/runs',
  '/queues',
  '/settings',
]

const records = (of: Scene): readonly string[] => [
  `/jobs/${TENANT}/${of.done}`,
  `/jobs/${TENANT}/${of.gated}`,
  `/jobs/${TOOLS_TENANT}/${of.tool}?tab=logs`,
  `/jobs/${TENANT}/${of.failed}?tab=events`,
  `/documents/${TENANT}/paper%3A1`,
  `/runs/${TENANT}/run-1`,
  `/workstreams/${TENANT}/ws-fixing`,
]

/** Nothing sticks out at the side, as far as the page itself is concerned. */
function sidewaysPx(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

async function look(page: Page, path: string, url: string): Promise<void> {
  await page.goto(url + path)
  await settled(page)
  expect.soft(await page.locator('[data-notice="problem"]').count(), `${path} has a problem`).toBe(0)
  expect.soft(await sidewaysPx(page), `${path} sticks out`).toBe(0)
  expect.soft(await seriousProblems(page), path).toEqual([])
}

describe.each([
  { colours: 'dark', width: 1280, mostRecords: 100 },
  // Records are made of the same parts: some of them show how those behave where there is little room.
  { colours: 'light', width: 400, mostRecords: 2 },
] as const)('in $colours, $width px wide', ({ colours, width, mostRecords }) => {
  it('every screen shows what there is, and axe finds nothing serious', async () => {
    const page = await full.open({ colours, width })
    for (const path of [...LISTS, ...records(scene).slice(0, mostRecords)]) await look(page, path, full.url)
  })
})

it('every screen of an empty ledger says so', async () => {
  const page = await empty.open()
  for (const path of LISTS.filter((one) => one !== '/settings' && one !== '/')) {
    await page.goto(empty.url + path)
    await settled(page)
    expect(await page.locator('[data-notice="empty"]').count(), path).toBeGreaterThan(0)
    expect(await page.locator('[data-notice="problem"]').count(), path).toBe(0)
  }
  expect(await seriousProblems(page)).toEqual([])
})
