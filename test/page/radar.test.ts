// The radar: where work stands, what is behind a cell, and the way from there to the jobs; and who last touched a file.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { JobStateStore, Orchestrator } from '../../src/index.ts'
import { TENANT } from './scene.ts'
import { arrived, eventually, inAddress, listed, scenePage } from './scene-page.ts'

const on = scenePage()

const RADAR = `/radar?tenant=${TENANT}`
const cell = (name: RegExp) => on.page.getByRole('button', { name })
const inspector = () => on.page.getByRole('complementary', { name: 'Inspector' })

it('A71 a cell says what is behind it, and leads to the jobs that are there', async () => {
  const { page, scene } = on
  await on.go(RADAR)
  await cell(/^parse of pdf: 1 running, 1 retrying, /).click()
  await inspector().getByText('1 job runs and 1 job failed and will be tried again.').waitFor()
  await inspector().getByText('BROKEN_PDF').first().waitFor()
  const jobs = inspector().getByRole('list', { name: 'Jobs at this stage' }).getByRole('link')
  expect((await jobs.allTextContents()).toSorted()).toEqual([scene.retrying, scene.running])
  await inspector().getByRole('link', { name: 'All open jobs at this stage' }).click()
  await arrived(page, '/jobs')
  expect(inAddress(page)).toMatchObject({ tenant: TENANT, step_id: 'parse', pipeline_name: 'pdf' })
  await eventually(async () => (await listed(page, 'Jobs')).toSorted()).toEqual([
    scene.retrying,
    scene.running,
  ])
})

it('A71 those that ended at a stage are there, too', async () => {
  const { page, scene } = on
  await on.go(RADAR)
  await cell(/^parse of pdf: /).click()
  await inspector().getByRole('link', { name: 'Those that ended, too' }).click()
  await eventually(() => listed(page, 'Jobs')).toContain(scene.failed)
})

it('A71 the inspector is in the address, and Escape closes it where it was opened', async () => {
  const { page } = on
  await on.go(RADAR)
  await cell(/^embed of pdf: /).focus()
  await page.keyboard.press('Enter')
  await inspector().getByRole('heading', { name: 'embed of pdf' }).waitFor()
  await page.reload()
  await inspector().getByRole('heading', { name: 'embed of pdf' }).waitFor()
  await page.keyboard.press('Escape')
  await inspector().waitFor({ state: 'detached' })
  expect(await cell(/^embed of pdf: /).evaluate((one) => one === document.activeElement)).toBe(true)
})

it('A71 arrow keys go from cell to cell', async () => {
  const { page } = on
  await on.go(RADAR)
  await cell(/^download of pdf: /).focus()
  await page.keyboard.press('ArrowRight')
  expect(await cell(/^parse of pdf: /).evaluate((one) => one === document.activeElement)).toBe(true)
  await page.keyboard.press('Home')
  expect(await cell(/^download of pdf: /).evaluate((one) => one === document.activeElement)).toBe(true)
})

it('A71 a job that comes is in its cell within a second', async () => {
  const { page } = on
  await on.go(`${RADAR}&tab=workstreams`)
  await page.getByText('Live', { exact: true }).waitFor()
  await on.ledger.jobs.submit({
    tenant_id: TENANT,
    request_type: 'OCR',
    workstream_id: 'ws-new',
    input_ref: 'in',
    output_ref: 'out',
    payload: { of: 'the radar' },
    schema_version: 'v1',
  })
  await cell(/^ocr of ws-new: 1 /).waitFor()
})

it('A71 files are listed with the job that touched them last', async () => {
  const { page } = on
  const root = join(on.world.folder, 'work')
  mkdirSync(root)
  writeFileSync(join(root, 'notes.md'), 'old\n')
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=ann', '-c', 'user.email=ann@localhost', ...args], { cwd: root })
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '-m', 'first')
  const changes = "require('node:fs').writeFileSync('notes.md', 'new')"
  await new Orchestrator({ store: new JobStateStore(on.ledger), base: root }).runJob({
    job_id: 'edits-notes',
    run_id: 'run-1',
    workstream_id: 'ws-tools',
    tool: 'command',
    command: { exe: process.execPath, args: ['-e', changes] },
    env: {},
    metadata: { files_scope: ['notes.md'] },
    paths: { repo_root: root, working_dir: '.', log_file: 'l.log', error_report: 'l.error.json' },
  })
  await on.go('/radar?tab=files&q=notes')
  await eventually(() => listed(page, 'Files that jobs touched')).toContain('notes.md')
  await cell(/^Who changed notes.md/).click()
  await inspector().getByRole('link', { name: 'edits-notes' }).first().waitFor()
  await inspector().getByText('Nobody has committed it yet.').waitFor()
  await inspector().getByText('No tests have looked at it since.').waitFor()
  expect(inAddress(page)).toMatchObject({ file: 'notes.md', repo: root })
})
