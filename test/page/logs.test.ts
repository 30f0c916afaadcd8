// The log: live, searched by one field with the help of keys, linked to entry by entry, and saved.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { AuditRecord } from '../../src/core/audit.ts'
import { TENANT } from './scene.ts'
import { eventually, goTo, inAddress, scenePage } from './scene-page.ts'

const on = scenePage()

const LOGS = `/logs?tenant=${TENANT}`
const by = { tenant_id: TENANT, adapter: 'arxiv', actor: 'fetcher' }
const rows = () => on.page.locator('[role="row"][data-seq]')
const button = (name: string | RegExp) => on.page.getByRole('button', { name })
const filter = () => on.page.getByRole('combobox', { name: 'Filter' })
const levels = async () =>
  new Set(await rows().evaluateAll((all) => all.map((row) => row.getAttribute('data-level'))))

it('A71 what happens is in the log as it happens', async () => {
  await on.go(LOGS)
  await on.page.getByText('Live', { exact: true }).waitFor()
  await on.ledger.documents.updateState('paper:live', 'fetching', by)
  await rows().filter({ hasText: 'paper:live' }).waitFor()
})

it('A71 a log that is paused stays, says how much is new, and goes on', async () => {
  await on.go(`${LOGS}&f=kind:document`)
  await rows().last().waitFor()
  await button('Pause').click()
  await on.ledger.documents.updateState('paper:paused', 'fetching', by)
  await on.ledger.documents.updateState('paper:paused', 'fetched', by)
  await button('2 new').waitFor()
  await button('2 new').click()
  await rows().filter({ hasText: 'paper:paused' }).last().waitFor()
  await button('Pause').waitFor()
})

it('A71 a filter is completed with keys alone', async () => {
  const { page } = on
  await on.go(LOGS)
  await filter().focus()
  await page.keyboard.type('lev')
  await page.getByRole('option', { name: /^level:/ }).waitFor()
  await page.keyboard.press('Enter')
  await eventually(() => filter().inputValue()).toBe('level:')
  await page.keyboard.type('err')
  await page.getByRole('option', { name: 'error' }).waitFor()
  await page.keyboard.press('Tab')
  await eventually(() => inAddress(page).f).toBe('level:error')
  await eventually(levels).toEqual(new Set(['error']))
  await page.getByRole('button', { name: 'Remove level:error' }).click()
  await eventually(async () => (await levels()).size).toBeGreaterThan(1)
})

it('A71 several parts of a filter hold together, and one that has a minus keeps entries out', async () => {
  const { page, scene } = on
  await on.go(`${LOGS}&f=kind:job actor:maria`)
  await eventually(() => rows().count()).toBeGreaterThan(0)
  for (const text of await rows().allTextContents()) expect(text).toContain(scene.cancelled)
  await filter().fill('kind:job -actor:maria state:CANCELLED')
  await page.keyboard.press('Enter')
  await page.getByText('No entry matches').waitFor()
  await button('Clear filters').first().click()
  await rows().last().waitFor()
  expect(inAddress(page)).toEqual({ tenant: TENANT })
})

it('A71 a filter that is wrong says why', async () => {
  const { page } = on
  await on.go(`${LOGS}&f=colour:red level:loud from:someday`)
  const wrong = page.getByRole('list', { name: 'Active filters' }).getByRole('alert')
  await eventually(() => wrong.allTextContents()).toEqual([
    'There is no field “colour”. To look for the text, put it in quotes',
    '“loud” is no level. There are error, warn, info, debug',
    '“someday” is no time. Write 15m, 2h or 3d, or 2026-11-17T10:30',
  ])
})

it('A71 the link to an entry opens the log there', async () => {
  const { page } = on
  await on.go(`${LOGS}&f=kind:document`)
  const row = rows().filter({ hasText: 'paper:bad' }).first()
  const seq = await row.getAttribute('data-seq')
  await row.getByRole('button', { name: 'Copy link to this entry' }).click()
  await row.getByRole('button', { name: 'Copied' }).waitFor()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  expect(link).toBe(`${on.world.url}/logs?tenant=${TENANT}&f=kind:document&at=${seq}`)
  await goTo(page, link)
  const target = page.locator('[data-target="true"]')
  await target.waitFor()
  expect(await target.getAttribute('data-seq')).toBe(seq)
  await page.keyboard.press('Enter')
  await target.getByLabel('The whole entry', { exact: true }).waitFor()
})

it('A71 levels are chosen with a press', async () => {
  const { page } = on
  await on.go(LOGS)
  const chips = page.getByRole('group', { name: 'Levels of what is loaded' })
  await chips.getByRole('button', { name: /error/ }).click()
  await eventually(levels).toEqual(new Set(['error']))
  await chips.getByRole('button', { name: /warn/ }).click()
  await eventually(levels).toEqual(new Set(['error', 'warn']))
  expect(inAddress(page).f).toBe('level:error level:warn')
})

/** Presses it, and answers with the file that the browser was given. */
async function saved(name: string): Promise<{ readonly file: string; readonly text: string }> {
  const [download] = await Promise.all([on.page.waitForEvent('download'), button(name).click()])
  const file = download.suggestedFilename()
  const place = join(on.world.folder, file)
  await download.saveAs(place)
  return { file, text: await readFile(place, 'utf8') }
}

it('A71 what matches is exported as JSON and as Markdown', async () => {
  await on.go(`${LOGS}&f=doc:paper:bad`)
  await rows().last().waitFor()
  const json = await saved('Export JSON')
  expect(json.file).toMatch(/^waybill-log-.*\.json$/)
  const records = JSON.parse(json.text) as readonly AuditRecord[]
  expect(records.map(({ id, new_state }) => [id, new_state])).toEqual([
    ['paper:bad', 'fetching'],
    ['paper:bad', 'failed'],
  ])
  const markdown = await saved('Export Markdown')
  expect(markdown.file).toMatch(/\.md$/)
  const lines = markdown.text.trimEnd().split('\n')
  expect(lines).toHaveLength(4)
  expect(lines[3]).toContain('404 from the source')
})
