// Who may less sees less, and is told so; of what belongs to others there is no trace.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PageLedger, pageLedger } from './page-ledger.ts'
import { OTHER, pdf, type Scene, setTheScene, TENANT } from './scene.ts'
import { settled } from './settled.ts'

/** The browser notes every answer that is none, and streams that end. */
const REFUSED = /status of 40[134]|ERR_INCOMPLETE_CHUNKED_ENCODING/
/** A browser tries the stream again after a second, and is refused. */
const NOTICED_MS = 5000

const SECRETS = {
  jobs: 'secret-job',
  documents: 'secret-doc',
  runs: 'secret-run',
  workstreams: 'secret-ws',
} as const

let here: PageLedger
let scene: Scene

beforeAll(async () => {
  here = await pageLedger()
  scene = await setTheScene(here.ledger, here.folder)
  await here.ledger.jobs.submit(pdf, {
    tenant_id: OTHER,
    job_id: SECRETS.jobs,
    doc_id: SECRETS.documents,
    run_id: SECRETS.runs,
    workstream_id: SECRETS.workstreams,
    payload: {},
  })
})
afterAll(() => here[Symbol.asyncDispose]())

describe('who may look at one tenant', () => {
  let page: Page
  beforeAll(async () => {
    page = await here.open({ role: 'viewer', tenants: [TENANT], mayComplain: REFUSED })
  })
  afterAll(() => here.closePages())

  async function goTo(path: string): Promise<void> {
    await page.goto(here.url + path)
    await settled(page)
  }

  it('sees that tenant alone, on every screen, and has none to choose', async () => {
    const paths = ['/', '/radar', '/radar?tab=workstreams', '/jobs', '/documents', '/logs', '/workstreams']
    for (const path of [...paths, '/runs', '/queues', '/settings']) {
      await goTo(path)
      const text = await page.locator('body').textContent()
      expect(text, path).not.toMatch(/globex|secret-|elsewhere/)
      expect(await page.getByRole('combobox', { name: 'Tenant' }).count(), path).toBe(0)
      expect(await page.locator('[data-notice="problem"]').count(), path).toBe(0)
    }
    await goTo('/jobs')
    await page.getByRole('banner').getByText(TENANT, { exact: true }).waitFor()
    await page.getByRole('link', { name: scene.done, exact: true }).waitFor()
  })

  it('is told so where others choose: naming another tenant shows nothing of it', async () => {
    const named = ['/', '/radar', '/jobs', '/documents', '/logs', '/workstreams', '/runs']
    for (const path of [...named.map((place) => `${place}?tenant=${OTHER}`), '/jobs?tenant=*']) {
      await goTo(path)
      await page.locator('[data-notice="forbidden"]').first().waitFor()
      expect(await page.locator('body').textContent(), path).not.toMatch(/secret-|elsewhere/)
    }
  })

  it('finds nothing of others', async () => {
    await goTo('/jobs')
    await page.getByRole('combobox', { name: /Search/ }).fill('secret')
    await page.getByText('Nothing has “secret” in its id').waitFor()
  })

  it('has every button, and each says why it does nothing', async () => {
    await goTo(`/jobs/${TENANT}/${scene.queued}`)
    for (const name of ['Expedite…', 'Run again…', 'Annotate…', 'Cancel…']) {
      const button = page.getByRole('button', { name })
      expect(await button.getAttribute('aria-disabled'), name).toBe('true')
      expect(await button.getAttribute('title'), name).toContain('The role viewer may only look')
      await button.click({ force: true })
    }
    expect(await page.getByRole('dialog').count()).toBe(0)
    await goTo(`/runs/${TENANT}/run-1`)
    const actions = await page.locator('main header button[aria-disabled="true"]').count()
    expect(actions).toBeGreaterThan(0)
  })

  it('is told that queues are everybody’s, and sees no tokens', async () => {
    await goTo('/queues')
    const queues = page.getByRole('region', { name: 'What waits and runs' })
    await queues.locator('[data-notice="forbidden"]').waitFor()
    // Schedules are a tenant's own.
    await page.getByRole('region', { name: 'Schedules' }).getByText('nightly').first().waitFor()
    await goTo('/settings')
    expect(await page.getByRole('heading', { name: 'Tokens' }).count()).toBe(0)
    expect(await page.getByRole('heading', { name: 'Maintenance' }).count()).toBe(0)
  })

  it.each(['jobs', 'documents', 'runs', 'workstreams'] as const)(
    'cannot tell which %s others have, nor which others there are',
    async (place) => {
      const looks = async (tenant: string, id: string, notice: string) => {
        await goTo(`/${place}/${tenant}/${id}`)
        await page.locator(`[data-notice="${notice}"]`).waitFor()
        const text = (await page.locator('main').textContent()) ?? ''
        return text.replaceAll(id, 'ID').replaceAll(tenant, 'TENANT')
      }
      const id = SECRETS[place]
      const theirs = await looks(OTHER, id, 'forbidden')
      expect(theirs).toBe(await looks(OTHER, 'absent', 'forbidden'))
      expect(theirs).toBe(await looks('nobody', id, 'forbidden'))
      expect(await looks(TENANT, id, 'missing')).toBe(await looks(TENANT, 'absent', 'missing'))
    },
  )
})

it('who is let in no more is shown the way in', async () => {
  const page = await here.open({ role: 'operator', tenants: [TENANT], at: '/jobs', mayComplain: REFUSED })
  await settled(page)
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  for await (const { token_id, role } of here.ledger.tokens.list({ state: 'active' })) {
    if (role === 'operator') await here.ledger.tokens.revoke(token_id)
  }
  await page.waitForURL('**/login', { timeout: NOTICED_MS })
  await page.getByText('waybill tokens link').waitFor()
  expect(await page.locator('body').textContent()).not.toContain('ingest-')
  await here.closePages()
})
