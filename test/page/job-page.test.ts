// The page of a job: when it was tried, what happened to it, what its tool prints, what it was given, and who it has to do with.
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { JobStateStore, Orchestrator } from '../../src/index.ts'
import { TENANT, TOOLS_TENANT } from './scene.ts'
import { arrived, eventually, inAddress, scenePage, stateInTitle } from './scene-page.ts'

const on = scenePage()

const line = (text: string) =>
  on.page.getByRole('region', { name: 'Log', exact: true }).getByText(text, { exact: true })
const button = (name: string | RegExp) => on.page.getByRole('button', { name })

it('A71 attempts are shown over time, and as a table with the same numbers', async () => {
  const { page, scene } = on
  await on.go(`/jobs/${TENANT}/${scene.retrying}`)
  const bars = page.getByRole('group', { name: 'Attempts over time' }).getByRole('img')
  await eventually(() => bars.count()).toBe(2)
  expect(await bars.nth(1).getAttribute('aria-label')).toMatch(
    /^parse, attempt 1: FAILED_RETRY, .*BROKEN_PDF: There is no page tree.*by w-parse$/,
  )
  await button('As a table').click()
  const rows = page.getByRole('region', { name: 'Attempts as a table' }).locator('tbody tr')
  const cells = await rows.evaluateAll((all) =>
    all.map((row) => [...row.children].map(({ textContent }) => textContent)),
  )
  const told = await on.ledger.views.attempts(scene.retrying, TENANT)
  expect(
    cells.map(([step, attempt, , , , , cameTo, by, error]) => [step, attempt, cameTo, by, error]),
  ).toEqual(
    told?.items.map(({ step_id, attempt_no, outcome, holder, error_code }) => [
      step_id,
      String(attempt_no),
      outcome,
      holder,
      error_code ?? '–',
    ]),
  )
  expect(cells.map(([step]) => step)).toEqual(['download', 'parse'])
})

it('A71 what happened to a job is told with its levels, and narrowed down by them', async () => {
  const { page, scene } = on
  await on.go(`/jobs/${TENANT}/${scene.failed}?tab=events`)
  const events = page.locator('li[data-level]')
  await eventually(() => events.count()).toBeGreaterThan(4)
  await page.getByRole('group', { name: 'Level' }).getByRole('button', { name: 'error' }).click()
  await page.locator('li[data-level="info"]').first().waitFor({ state: 'detached' })
  expect(inAddress(page)).toMatchObject({ tab: 'events', level: 'error' })
  const failed = events.filter({ hasText: 'BROKEN_PDF: There is no page tree' }).first()
  await failed.locator('summary').click()
  await failed.getByText('through').waitFor()
})

it('A71 what a tool printed is shown in its colours, and as text whatever it looks like', async () => {
  const { page, scene } = on
  await on.go(`/jobs/${TOOLS_TENANT}/${scene.tool}?tab=logs`)
  const colourOf = async (text: string) => line(text).evaluate((element) => getComputedStyle(element).color)
  await line('plain line').waitFor()
  const colours = new Set([await colourOf('PASS'), await colourOf('FAIL'), await colourOf('plain line')])
  expect(colours.size).toBe(3)
  await line(' <script>alert(1)</script>').waitFor()
  await page.getByLabel('Find in the log').fill('fail')
  // The command line that is noted before it has it, too.
  await page.getByText('2 hits').waitFor()
})

/** A real program that prints what it is told to print, and ends when it is told to. */
async function printingTool(job_id: string) {
  const place = join(on.world.folder, `${job_id}.sock`)
  const server = createServer().listen(place)
  const connected = once(server, 'connection') as Promise<[Socket]>
  const prints = `require('node:net').connect(${JSON.stringify(place)}).pipe(process.stdout)`
  const root = join(on.world.folder, 'repo')
  const done = new Orchestrator({ store: new JobStateStore(on.ledger), base: root }).runJob({
    job_id,
    run_id: 'run-1',
    workstream_id: 'ws-tools',
    tool: 'command',
    command: { exe: process.execPath, args: ['-e', prints] },
    env: {},
    paths: { repo_root: root, working_dir: '.', log_file: 'l.log', error_report: 'l.error.json' },
  })
  const [socket] = await connected
  return {
    print: (from: number, to: number) =>
      socket.write(Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}.\n`).join('')),
    async end(): Promise<void> {
      socket.end()
      await done
      server.close()
    },
  }
}

it('A71 what a running tool prints is shown as it comes, and stays where the reader has gone back to', async () => {
  const { page } = on
  const tool = await printingTool('printing')
  await on.go(`/jobs/${TOOLS_TENANT}/printing?tab=logs`)
  tool.print(1, 1)
  await line('line 1.').waitFor()
  tool.print(2, 300)
  await line('line 300.').waitFor()
  const follow = button('Follow')
  expect(await follow.getAttribute('aria-pressed')).toBe('true')
  await page.getByRole('region', { name: 'Log', exact: true }).hover()
  await page.mouse.wheel(0, -2000)
  await eventually(() => follow.getAttribute('aria-pressed')).toBe('false')
  tool.print(301, 305)
  await button('5 new lines').waitFor()
  expect(await line('line 305.').count()).toBe(0)
  await button('5 new lines').click()
  await line('line 305.').waitFor()
  await tool.end()
  await eventually(() => stateInTitle(page)).toBe('SUCCEEDED')
  await page.getByText(/ · complete$/).waitFor()
})

it('A71 a job shows what it was given, and what its steps came to', async () => {
  const { page, scene } = on
  await on.go(`/jobs/${TENANT}/${scene.done}`)
  await page.getByRole('tab', { name: 'Payload' }).click()
  const payload = page.getByLabel('payload', { exact: true })
  expect(JSON.parse((await payload.textContent()) ?? '')).toMatchObject({
    url: `https://example.com/${scene.done}.pdf`,
  })
  expect(await page.getByLabel('output of embed', { exact: true }).textContent()).toBe('42')
  expect(inAddress(page)).toMatchObject({ tab: 'payload' })
})

it('A71 a job leads to those that it has to do with', async () => {
  const { page, scene } = on
  await on.go(`/jobs/${TENANT}/${scene.dependant}`)
  await page.getByRole('region', { name: 'Waits for' }).getByRole('link', { name: scene.queued }).click()
  await arrived(page, `/jobs/${TENANT}/${scene.queued}`)
  await page
    .getByRole('region', { name: 'Wait for it' })
    .getByRole('link', { name: scene.dependant })
    .waitFor()
})
