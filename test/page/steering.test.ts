// Steering queues, letting people and programs in, and how one likes the page.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { TENANT } from './scene.ts'
import { arrived, eventually, goTo, sayYes, scenePage, told } from './scene-page.ts'

const on = scenePage()

const button = (name: string | RegExp) => on.page.getByRole('button', { name, exact: true })
const row = (table: string, text: string) =>
  on.page.getByRole('region', { name: table, exact: true }).getByRole('row').filter({ hasText: text })

/** What the history says of a queue, the newest first. */
async function historyOf(queue: string) {
  const { items } = await on.ledger.audit.query({ kind: 'queue', direction: 'desc' })
  return items.filter(({ id }) => id === queue)
}

it('A71 a queue is paused and resumed, and the history has why', async () => {
  await on.go('/queues')
  await button('Pause pdf/download').click()
  await sayYes(on.page, {
    asked: 'Pause pdf/download, where 1 job waits?',
    press: 'Pause pdf/download',
    reason: 'the disk is full',
  })
  await told(on.page, 'pdf/download is paused now')
  await row('Queues', 'pdf/download').locator('[data-state="paused"]').waitFor()
  expect((await on.ledger.queues.get('pdf/download'))?.state).toBe('paused')
  expect((await historyOf('pdf/download'))[0]).toMatchObject({ actor: 'ann', reason: 'the disk is full' })
  await button('Resume pdf/download').click()
  await sayYes(on.page, { asked: 'Resume pdf/download, where', press: 'Resume pdf/download' })
  await row('Queues', 'pdf/download').locator('[data-state="running"]').waitFor()
  expect((await on.ledger.queues.get('pdf/download'))?.state).toBe('running')
})

it('A71 a queue that somebody pauses elsewhere is shown as paused', async () => {
  await on.go('/queues')
  await on.ledger.queues.pause('ocr', { actor: 'maria' })
  await row('Queues', 'ocr').locator('[data-state="paused"]').waitFor()
  await on.ledger.queues.resume('ocr', { actor: 'maria' })
  await row('Queues', 'ocr').locator('[data-state="running"]').waitFor()
})

it('A71 limits of a queue are changed, and what is no limit is explained', async () => {
  const { page } = on
  await on.go('/queues')
  await row('Queues', 'pdf/parse')
    .getByText(/of 2 at once$/)
    .waitFor()
  await button('Limits of pdf/parse').click()
  const dialog = page.getByRole('dialog', { name: 'Limits of pdf/parse' })
  await dialog.getByLabel('Most at once').fill('many')
  await dialog.getByRole('button', { name: 'Set limits' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Most at once').fill('7')
  await dialog.getByLabel('Most begun').fill('30')
  await dialog.getByLabel('within').fill('1')
  await dialog.getByLabel('unit').selectOption('minutes')
  await dialog.getByLabel('Reason, kept in the history').fill('more memory')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await row('Queues', 'pdf/parse')
    .getByText(/of 7 at once$/)
    .waitFor()
  expect(await on.ledger.queues.get('pdf/parse')).toMatchObject({ concurrency: 7, rate: { max: 30 } })
  expect((await historyOf('pdf/parse'))[0]).toMatchObject({ actor: 'ann', reason: 'more memory' })
})

it('A71 a schedule is paused', async () => {
  await on.go(`/queues?tenant=${TENANT}`)
  await button('Pause nightly').click()
  await sayYes(on.page, { asked: 'Pause the schedule nightly?', press: 'Pause it' })
  await row('Schedules', 'nightly').locator('[data-state="paused"]').waitFor()
})

it('A71 a token is made, shown once, and revoked', async () => {
  const { page } = on
  await on.go('/settings')
  await button('Make a token').click()
  await page.getByLabel('For whom').fill('ocr-worker')
  await button('Make it').click()
  await page.getByText('is shown only now').waitFor()
  const secret = (await page.getByRole('status').locator('code').textContent()) ?? ''
  expect(await on.ledger.tokens.verify(secret)).toMatchObject({ name: 'ocr-worker', role: 'worker' })
  await row('Tokens', 'ocr-worker').waitFor()
  await page.reload()
  await row('Tokens', 'ocr-worker').waitFor()
  expect(await page.content()).not.toContain(secret)
  await button('Revoke the token of ocr-worker').click()
  await sayYes(page, {
    asked: 'Revoke the token of ocr-worker?',
    press: 'Revoke the token of ocr-worker',
    reason: 'it leaked',
  })
  await row('Tokens', 'ocr-worker').locator('[data-state="revoked"]').waitFor()
  expect(await on.ledger.tokens.verify(secret)).toBeNull()
})

it('A71 a one-time link lets somebody in, once', async () => {
  const { page } = on
  await on.go('/settings')
  await button('Make a link').click()
  const link = (await page.getByRole('status').locator('code').textContent()) ?? ''
  const theirs = await on.world.open({ mayComplain: /40[14]/ })
  await goTo(theirs, `${on.world.url}/settings`)
  await theirs.getByRole('button', { name: 'Sign out' }).click()
  await arrived(theirs, '/login')
  await theirs.goto(link)
  await arrived(theirs, '/')
  await goTo(theirs, `${on.world.url}/settings`)
  await theirs.getByText('viewer', { exact: true }).first().waitFor()
})

const background = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)

it('A71 the theme and the time zone that one chose are kept', async () => {
  const { page } = on
  await on.go('/settings')
  const light = await background(page)
  await page.getByRole('radio', { name: 'Dark' }).check()
  await eventually(() => background(page)).not.toBe(light)
  const dark = await background(page)
  await page.getByRole('radio', { name: 'UTC', exact: true }).check()
  await page.getByText(/^Now it is .* UTC\.$/).waitFor()
  await on.go(`/jobs/${TENANT}/${on.scene.done}`)
  expect(await background(page)).toBe(dark)
  expect(await page.locator('time').first().getAttribute('title')).toMatch(/ UTC$/)
  await button('Theme: dark. Change to system').click()
  await eventually(() => background(page)).toBe(light)
})

it('A71 who signs out is led to the login, and gets in no more', async () => {
  const page = await on.world.open({ at: '/settings', mayComplain: /401/ })
  await page.getByRole('button', { name: 'Sign out' }).click()
  await arrived(page, '/login')
  await page.getByText('To open the page, use the link that the server printed').waitFor()
  await page.goto(`${on.world.url}/jobs`)
  await arrived(page, '/login')
})
