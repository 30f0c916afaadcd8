import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { callbackSecrets } from './callback-secrets.ts'

const folder = mkdtempSync(join(tmpdir(), 'waybill-secrets-'))
const file = join(folder, 'callback.secret')

afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => {
  delete process.env.WAYBILL_CALLBACK_SECRET
})

it('come from a file, a line each', async () => {
  process.env.WAYBILL_CALLBACK_SECRET = 'of the environment'
  writeFileSync(file, 'whsec_new\n\n  whsec_old  \r\n')
  expect(await callbackSecrets(file)).toEqual(['whsec_new', 'whsec_old'])
})

it('come from the environment when there is no file', async () => {
  process.env.WAYBILL_CALLBACK_SECRET = 'of the environment'
  expect(await callbackSecrets(undefined)).toEqual(['of the environment'])
})

it('need not be there', async () => {
  process.env.WAYBILL_CALLBACK_SECRET = ''
  expect(await callbackSecrets(undefined)).toBeUndefined()
})

it('are missed where a file says that there are some', async () => {
  writeFileSync(file, '\n')
  await expect(callbackSecrets(file)).rejects.toMatchObject({ field: 'callback-secret-file' })
  await expect(callbackSecrets(join(folder, 'none'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
})
