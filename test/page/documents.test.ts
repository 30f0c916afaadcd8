// Documents: finding them by text, by where they are and by being stuck; one of them at other times; and moving it by hand.
import { expect, it } from 'vitest'
import type { AuditRecord } from '../../src/core/audit.ts'
import { TENANT } from './scene.ts'
import {
  arrived,
  eventually,
  goTo,
  inAddress,
  listed,
  sayYes,
  scenePage,
  stateInTitle,
  told,
} from './scene-page.ts'

const on = scenePage()

const DOCUMENTS = `/documents?tenant=${TENANT}`
const by = { tenant_id: TENANT, adapter: 'arxiv', actor: 'fetcher' }
const button = (name: string | RegExp) => on.page.getByRole('button', { name, exact: true })
const found = () => listed(on.page, 'Documents')

it('A71 documents are found by a part of their id, and by what went wrong', async () => {
  await on.go(DOCUMENTS)
  await on.page.getByLabel('Search', { exact: true }).fill('aper:2')
  await eventually(found).toEqual(['paper:2'])
  await on.page.getByLabel('Search', { exact: true }).fill('404 from')
  await eventually(found).toEqual(['paper:bad'])
  expect(inAddress(on.page)).toEqual({ tenant: TENANT, q: '404 from' })
})

it('A71 a state of the picture narrows the list down, and once more takes that away', async () => {
  const { page } = on
  await on.go(DOCUMENTS)
  const picture = page.getByRole('group', { name: 'States of documents' })
  const validated = picture.getByRole('link', { name: /^validated 3\. / })
  await validated.click()
  await eventually(async () => (await found()).toSorted()).toEqual(['paper:0', 'paper:1', 'paper:2'])
  expect(inAddress(page)).toEqual({ tenant: TENANT, state: 'validated' })
  await validated.click()
  await eventually(async () => (await found()).length).toBeGreaterThan(3)
  await button('List').click()
  await page.getByRole('list', { name: 'States of documents' }).getByRole('link', { name: 'failed' }).click()
  await eventually(found).toEqual(['paper:bad', 'doc:ingest-failed'])
})

it('A71 a document is moved by hand to where it may go, and nothing else is offered', async () => {
  const { page } = on
  await on.ledger.documents.updateState('paper:moved', 'fetching', by)
  await on.go(`/documents/${TENANT}/paper%3Amoved`)
  const moves = page.getByRole('group', { name: 'Move it by hand to' }).getByRole('button')
  expect(await moves.allTextContents()).toEqual(['fetched', 'failed', 'retrying'])
  await button('fetched').click()
  await sayYes(page, {
    asked: 'Move paper:moved from fetching to fetched?',
    press: 'Move it to fetched',
    reason: 'I brought the file',
  })
  await told(page, 'paper:moved is fetched now')
  await eventually(() => stateInTitle(page)).toBe('fetched')
  await eventually(() => moves.allTextContents()).toEqual(['parsing', 'failed'])
  expect(await on.ledger.documents.getState('paper:moved', TENANT)).toBe('fetched')
  const last = (await Array.fromAsync(on.ledger.documents.history('paper:moved', TENANT))).at(-1)
  expect(last).toMatchObject({ new_state: 'fetched', actor: 'ann', reason: 'I brought the file' })
  await page.getByRole('list', { name: 'History' }).getByText('I brought the file').waitFor()
})

it('A71 a document that has ended goes nowhere', async () => {
  await on.ledger.documents.updateState('paper:over', 'skipped', by)
  await on.go(`/documents/${TENANT}/paper%3Aover`)
  await on.page.getByText('It has ended: there is nowhere to go from here.').waitFor()
  expect(await on.page.getByRole('group', { name: 'Move it by hand to' }).count()).toBe(0)
})

it('A71 a document is shown as it was at a time', async () => {
  const { page } = on
  const history = await Array.fromAsync(on.ledger.documents.history('paper:1', TENANT))
  const { timestamp } = history.find(({ new_state }) => new_state === 'parsing') as AuditRecord
  // Within one millisecond it may have moved on.
  const was = await on.ledger.documents.asOf('paper:1', Math.round(timestamp * 1000), TENANT)
  await on.go(`/documents/${TENANT}/paper%3A1`)
  const entries = page.getByRole('list', { name: 'History' }).getByRole('listitem')
  await entries
    .filter({ hasText: /^fetched →/ })
    .getByRole('button', { name: 'Then' })
    .click()
  const then = page.getByRole('region', { name: 'At another time' })
  await then.locator(`[data-state="${was?.state}"]`).waitFor()
  expect(await stateInTitle(page)).toBe('validated')
  await then.getByRole('button', { name: 'Back to now' }).click()
  await then.getByText('Choose a time').waitFor()
})

it('A71 a time before there was a document says so', async () => {
  // The browser tells of every answer that is no success.
  const page = await on.world.open({ mayComplain: /404/ })
  await goTo(page, `${on.world.url}/documents/${TENANT}/paper%3A1?at=2020-01-01T00:00:00Z`)
  await page.getByRole('region', { name: 'At another time' }).getByText('It was not there yet').waitFor()
})

it('A71 documents that are stuck are listed with what is too long for them', async () => {
  const { page } = on
  await on.go(DOCUMENTS)
  await button('Only stuck ones').click()
  const row = page.getByRole('row').filter({ hasText: 'paper:stuck' })
  await row.getByText('what 99 of 100 documents took').waitFor()
  expect(await found()).not.toContain('paper:0')
  await page.getByLabel('Stuck means longer than').selectOption('A week')
  await page.getByText('No document is stuck').waitFor()
  expect(inAddress(page)).toMatchObject({ stuck: '1', hours: '168' })
})

it('A71 a document that moves is shown where it is within a second, and is opened from the list', async () => {
  const { page } = on
  await on.ledger.documents.updateState('paper:quick', 'fetching', by)
  await on.go(`${DOCUMENTS}&q=paper:quick`)
  await page.getByText('Live', { exact: true }).waitFor()
  const row = page.getByRole('row').filter({ hasText: 'paper:quick' })
  const took: number[] = []
  for (const state of ['fetched', 'parsing', 'parsed'] as const) {
    await on.ledger.documents.updateState('paper:quick', state, by)
    const from = performance.now()
    await row.locator(`[data-state="${state}"]`).waitFor()
    took.push(performance.now() - from)
  }
  expect(Math.min(...took)).toBeLessThan(1000)
  await row.getByRole('link', { name: 'paper:quick' }).click()
  await arrived(page, `/documents/${TENANT}/paper%3Aquick`)
})
