// One part of a screen breaks: it says so, the others stay, and trying again mends it.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type PageLedger, pageLedger } from './page-ledger.ts'
import { setTheScene, TENANT } from './scene.ts'
import { eventually } from './scene-page.ts'
import { settled } from './settled.ts'

let here: PageLedger

beforeAll(async () => {
  here = await pageLedger()
  await setTheScene(here.ledger, here.folder)
})
afterEach(() => here.closePages())
afterAll(() => here[Symbol.asyncDispose]())

interface Broken {
  readonly what: string
  readonly answer: { readonly status?: number; readonly contentType?: string; readonly body?: string }
}

const ANSWERS: readonly Broken[] = [
  {
    what: 'says that it has failed',
    answer: { status: 500, body: '{"title":"It has failed","code":"INTERNAL"}' },
  },
  { what: 'answers with something else', answer: { body: '{}' } },
  {
    what: 'answers with the wrong kinds',
    answer: { body: '{"waiting":7,"outbox":[],"workers":{},"runs":"x"}' },
  },
]

async function breakIt(page: Page, url: string, answer: Broken['answer']): Promise<void> {
  await page.route(url, (route) => route.fulfill({ status: 200, contentType: 'application/json', ...answer }))
}

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const problems = (page: Page) => page.locator('[data-notice="problem"]')

/** Whatever has failed, until nothing has: an answer that was on its way may still break something. */
async function tryAllAgain(page: Page): Promise<void> {
  await eventually(() =>
    page.evaluate(() => {
      for (const button of document.querySelectorAll('button')) {
        if (button.textContent === 'Try again') button.click()
      }
      return document.querySelectorAll('[data-notice="problem"]').length
    }),
  ).toBe(0)
}

it.each(ANSWERS)('the dashboard stays when a question $what', async ({ answer }) => {
  // What is caught is told on the console as well.
  const page = await here.open({ at: '/settings', mayComplain: /./ })
  await breakIt(page, '**/v1/overview?*', answer)
  await page.getByRole('link', { name: 'Dashboard' }).click()
  const retry = page.getByRole('button', { name: 'Try again' })
  await retry.first().waitFor()
  await panel(page, 'Jobs')
    .getByRole('link', { name: /in all/ })
    .waitFor()
  await panel(page, 'Throughput and failures').locator('canvas').first().waitFor()
  await panel(page, 'Stuck documents').waitFor()
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Dashboard')
  expect(await problems(page).count()).toBeGreaterThan(0)

  await page.unroute('**/v1/overview?*')
  await tryAllAgain(page)
  await panel(page, 'Workers').getByText('w-parse').waitFor()
  await panel(page, 'Oldest waiting').getByRole('link').first().waitFor()
  await page.getByLabel('How things are').getByText('Oldest waiting').waitFor()
})

it('the rest of a job stays when one of its parts breaks', async () => {
  const page = await here.open({ mayComplain: /./ })
  await breakIt(page, '**/v1/jobs/*/related?*', { body: '{}' })
  await breakIt(page, '**/v1/jobs/*/why?*', { body: 'garbage' })
  await page.goto(`${here.url}/jobs/${TENANT}/ingest-gated`)
  await panel(page, 'Related jobs').locator('[data-notice="problem"]').waitFor()
  await panel(page, 'Why it is where it is').locator('[data-notice="problem"]').waitFor()
  await panel(page, 'Facts').getByText('Protocol').waitFor()
  await panel(page, 'Steps').waitFor()
  expect(await problems(page).count()).toBe(2)
  await page.unroute('**/v1/jobs/*/related?*')
  await page.unroute('**/v1/jobs/*/why?*')
  await tryAllAgain(page)
  await panel(page, 'Why it is where it is').getByText('gate').first().waitFor()
  expect(await problems(page).count()).toBe(0)
})

it('a screen that breaks as a whole leaves the way to the others', async () => {
  const page = await here.open({ mayComplain: /./ })
  await breakIt(page, '**/v1/board?*', { body: '{"lanes":[{"lane":"waiting"}]}' })
  await page.goto(`${here.url}/workstreams`)
  await problems(page).first().waitFor()
  await page.getByRole('link', { name: 'Runs' }).click()
  await page.getByRole('link', { name: 'run-good' }).first().waitFor()
  expect(await problems(page).count()).toBe(0)
  await page.goBack()
  await problems(page).first().waitFor()
  await page.unroute('**/v1/board?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('listitem', { name: 'ws-waiting' }).waitFor()
  await settled(page)
  expect(await problems(page).count()).toBe(0)
})
